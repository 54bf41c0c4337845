import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandFault } from './command.fault';
import type { Terminal } from './terminal';

/** Asks whoever types whether that is meant. Throws `CommandFault` (2) where the answer is no, or nobody can be asked. */
export async function confirmed({ stdin, stderr }: Terminal, question: string): Promise<void> {
  if (!stdin.isTTY) throw new CommandFault(`${question} Say --yes where nobody can be asked.`, 2);
  const lines = createInterface({ input: stdin, output: stderr });
  // Whoever leaves it has not agreed: Ctrl-C rejects the question, Ctrl-D only closes it.
  const left = once(lines, 'close').then(() => '');
  const answer = await Promise.race([lines.question(`${question} Go on? [y/N] `), left]).catch(() => '');
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFault('Nothing was done.', 2);
}

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandFault } from './command.fault';
import type { Terminal } from './terminal';

/** The question: `1 message (state queued) is to be cancelled.` */
export function questionOf(count: number, what: string, filter: string, decision: string): string {
  return `${count} ${count === 1 ? what : `${what}s`} (${filter}) ${count === 1 ? 'is' : 'are'} to be ${decision}.`;
}

/** Asks for confirmation. Throws `CommandFault` (2) if the answer is no, or stdin is not a terminal. */
export async function confirm({ stdin, stderr }: Terminal, question: string): Promise<void> {
  if (!stdin.isTTY) throw new CommandFault(`${question} Use --yes if nobody can be asked.`, 2);
  const lines = createInterface({ input: stdin, output: stderr });
  // Leaving is not agreeing: Ctrl-C rejects the question, Ctrl-D only closes the input.
  const left = once(lines, 'close').then(() => '');
  const answer = await Promise.race([lines.question(`${question} Go on? [y/N] `), left]).catch(() => '');
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFault('Nothing was done.', 2);
}

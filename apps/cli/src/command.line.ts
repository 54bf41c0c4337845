import { Command, CommanderError } from 'commander';
import { VERSION } from '@lettermill/version';
import { addDeadLetters } from './deadletters/dead.letters.command';
import { CommandFault } from './command.fault';
import { addMessages } from './messages/messages.command';
import { addSuppressions } from './suppressions/suppressions.command';
import type { Terminal } from './terminal';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** `lettermill` with all its commands. */
export function commandLine(terminal: Terminal): Command {
  const program = new Command('lettermill')
    .description('Operates a Lettermill. It uses the environment of the services: DATA_DIR, or KAFKA_BROKERS.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  addDeadLetters(program, terminal);
  addMessages(program, terminal);
  addSuppressions(program, terminal);
  return program;
}

/** Runs one command; resolves to its exit code. Never rejects, and shows no stack trace. */
export async function runCommand(args: string[], terminal: Terminal): Promise<number> {
  try {
    await commandLine(terminal).parseAsync(args, { from: 'user' });
    return EXIT_OK;
  } catch (error) {
    return reportError(error, terminal);
  }
}

function reportError(error: unknown, { stderr }: Terminal): number {
  // Commander has printed its message already; help and version end in such an error, too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
  stderr.write(`${(error as Error).message}\n`);
  return error instanceof CommandFault ? error.exitCode : EXIT_FAILED;
}

#!/usr/bin/env node
import { runCommand } from './command.line';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `lettermill … | head` has seen enough.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// A run of many orders does not end because nobody reads what it waits for.
process.stderr.on('error', () => {});

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});

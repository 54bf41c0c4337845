#!/usr/bin/env node
import { runCommand } from './command.line';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as in `lettermill … | head`.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// A run of many orders must not end because nobody reads its progress messages.
process.stderr.on('error', () => {});

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});

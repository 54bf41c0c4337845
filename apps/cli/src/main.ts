#!/usr/bin/env node
import { runCommand } from './command.line';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `lettermill … | head` has seen enough.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`What it says can not be written: ${error.message}\n`);
  process.exit(1);
});

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});

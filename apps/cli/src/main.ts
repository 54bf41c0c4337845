#!/usr/bin/env node
import { runCommand } from './command.line';

// `lettermill … | head` has seen enough.
process.stdout.on('error', () => process.exit());

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});

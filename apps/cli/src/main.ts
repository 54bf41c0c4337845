#!/usr/bin/env node
import { runCommand } from './command.line';

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});

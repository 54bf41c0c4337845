// Runs a TypeScript program in place: node scripts/typescript.mjs <program> [arguments]
import { createRequire, Module } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inPlace } from './compile.mjs';

Module._extensions['.ts'] = (module, filename) => {
  module._compile(inPlace(readFileSync(filename, 'utf8'), filename), filename);
};

const [program, ...rest] = process.argv.slice(2);
process.argv.splice(1, process.argv.length, resolve(program), ...rest);
createRequire(import.meta.url)(resolve(program));

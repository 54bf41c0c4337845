// Runs a TypeScript program in place: node scripts/typescript.mjs <program> [arguments]
import { createRequire, Module } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { transformSync } from '@swc/core';

const options = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename });
  module._compile(code, filename);
};

const [program, ...rest] = process.argv.slice(2);
process.argv.splice(1, process.argv.length, resolve(program), ...rest);
createRequire(import.meta.url)(resolve(program));

// For Jest: the index of a library loads a file only when something of it is used, so that a suite pays for nothing that it does not test.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from '@swc/core';

const statementsOf = (source) => parseSync(source, { syntax: 'typescript', decorators: true }).body;

/** The values that a file exports: types do not exist when it runs. */
function namesIn(path) {
  const statements = statementsOf(readFileSync(path, 'utf8'));
  return statements.flatMap((statement) => exportedBy(statement, path)).map(({ name }) => name);
}

/** `name` as seen from outside, `original` in the module `from`, which is undefined for what is declared here. */
function exportedBy(statement, path) {
  const from = statement.source?.value;
  switch (statement.type) {
    case 'ExportDeclaration':
      return declaredBy(statement.declaration).map(({ value }) => ({ name: value }));
    case 'ExportNamedDeclaration':
      return statement.typeOnly ? [] : statement.specifiers.flatMap((one) => namedBy(one, from));
    case 'ExportAllDeclaration':
      return namesIn(fileOf(join(dirname(path), from))).map((name) => ({ name, original: name, from }));
    default:
      return [];
  }
}

const fileOf = (module) => [`${module}.ts`, `${module}/index.ts`].find((path) => existsSync(path));

function declaredBy(declaration) {
  if (declaration.type === 'TsInterfaceDeclaration' || declaration.type === 'TsTypeAliasDeclaration') return [];
  return declaration.declarations?.map(({ id }) => id) ?? [declaration.identifier ?? declaration.id];
}

function namedBy({ isTypeOnly, orig, exported }, from) {
  return isTypeOnly ? [] : [{ name: (exported ?? orig).value, original: orig.value, from }];
}

const LATER = `'use strict';
Object.defineProperty(exports, '__esModule', { value: true });
function later(name, load) {
  const get = () => {
    const value = load();
    Object.defineProperty(exports, name, { value, enumerable: true });
    return value;
  };
  Object.defineProperty(exports, name, { get, enumerable: true, configurable: true });
}`;

function lazy(source, path) {
  const statements = statementsOf(source);
  if (!statements.every((statement) => statement.source)) throw new Error(`${path} may only have re-exports`);
  const names = statements.flatMap((statement) => exportedBy(statement, path));
  const getters = names.map(({ name, original, from }) => `later('${name}', () => require('${from}').${original});`);
  return [LATER, ...getters, ''].join('\n');
}

export default {
  process: (source, path) => ({ code: lazy(source, path) }),
  // What an index exports depends on other files, too.
  getCacheKey: (source, path) => createHash('sha256').update(lazy(source, path)).digest('hex'),
};

// A lint rule: no file is imported by what it imports, straight or by others. `copied` in compile.mjs relies on it, and so does whoever reads a file alone.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = dirname(import.meta.dirname);

/** Of an import or export: what it is from, where something of it is left when the program runs. Types are not. */
function sourceOf(statement) {
  const { moduleSpecifier } = statement;
  if (!moduleSpecifier || !(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))) return undefined;
  const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
  if (clause?.isTypeOnly) return undefined;
  const names = clause?.namedBindings ?? clause?.exportClause;
  const typesOnly = names?.elements?.length > 0 && names.elements.every(({ isTypeOnly }) => isTypeOnly);
  return typesOnly && !clause.name ? undefined : moduleSpecifier.text;
}

function fileOf(source, importer) {
  const [, library] = /^@lettermill\/([a-z]+)$/.exec(source) ?? [];
  if (library) return join(ROOT, 'libs', library, 'src/index.ts');
  if (!source.startsWith('.')) return undefined;
  const path = resolve(dirname(importer), source.replace(/\.js$/, ''));
  return [`${path}.ts`, join(path, 'index.ts')].find(existsSync);
}

/** What a file imports, and where in its text it says so. */
function importsOf(file, text) {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const source = sourceOf(statement);
    const to = source && fileOf(source, file);
    return to ? [{ to, at: statement.moduleSpecifier.pos + 1 }] : [];
  });
}

const read = new Map();

/** As it lies on the disk; an editor keeps the rule loaded while files change. */
function importedBy(file) {
  const { mtimeMs } = statSync(file);
  if (read.get(file)?.mtimeMs !== mtimeMs) {
    const files = importsOf(file, readFileSync(file, 'utf8')).map(({ to }) => to);
    read.set(file, { mtimeMs, files });
  }
  return read.get(file).files;
}

/** The way from one file to another along imports, both ends named; undefined where there is none. */
function wayBetween(from, to, seen = new Set()) {
  if (from === to) return [to];
  seen.add(from);
  for (const next of importedBy(from)) {
    const way = seen.has(next) ? undefined : wayBetween(next, to, seen);
    if (way) return [from, ...way];
  }
  return undefined;
}

export const importCycles = {
  meta: { type: 'problem', schema: [], messages: { cycle: 'An import cycle: {{ way }}.' } },
  create: (context) => ({
    Program() {
      const { filename, sourceCode } = context;
      // What does not lead back by one import does not by the next.
      const seen = new Set();
      for (const { to, at } of importsOf(filename, sourceCode.text)) {
        const way = wayBetween(to, filename, seen);
        if (!way) continue;
        const names = [filename, ...way].map((file) => relative(ROOT, file));
        context.report({ loc: sourceCode.getLocFromIndex(at), messageId: 'cycle', data: { way: names.join(' → ') } });
      }
    },
  }),
};

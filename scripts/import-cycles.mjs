// Two lint rules: files must not import each other, directly or through others, and neither must the feature folders of an app or library.
// `copied` in compile.mjs relies on the first, and readers on both.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = dirname(import.meta.dirname);

/** The module that an import or export statement names; undefined if only types come from it, which are gone at run time. */
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

/** The files that a file imports, and the positions of the imports in its text. */
function importsOf(file, text) {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const source = sourceOf(statement);
    const to = source && fileOf(source, file);
    return to ? [{ to, at: statement.moduleSpecifier.pos + 1 }] : [];
  });
}

const read = new Map();

/** The files that a file on disk imports. Checks for changes, because an editor keeps the rule loaded. */
function importedBy(file) {
  const { mtimeMs } = statSync(file);
  if (read.get(file)?.mtimeMs !== mtimeMs) {
    const files = importsOf(file, readFileSync(file, 'utf8')).map(({ to }) => to);
    read.set(file, { mtimeMs, files });
  }
  return read.get(file).files;
}

/** The path of imports from one place to another, including both; undefined if there is none. `nextOf` names what a place imports. */
function wayBetween(from, to, nextOf, seen = new Set()) {
  if (from === to) return [to];
  seen.add(from);
  for (const next of nextOf(from)) {
    const way = seen.has(next) ? undefined : wayBetween(next, to, nextOf, seen);
    if (way) return [from, ...way];
  }
  return undefined;
}

const isTest = (file) => /\.(spec|contract)\.ts$|[\\/]testing[\\/]/.test(file);

/** The feature folder of a file; undefined for files beside such folders, and for tests, which may use any feature. */
function featureOf(file) {
  const [path] = /^(?:apps|libs)[\\/][^\\/]+[\\/]src[\\/][^\\/]+(?=[\\/])/.exec(relative(ROOT, file)) ?? [];
  return path && !isTest(file) ? join(ROOT, path) : undefined;
}

/** The other feature folders of the same app or library that the files of a folder import. */
function featuresImportedBy(feature) {
  const files = readdirSync(feature, { recursive: true }).map((name) => join(feature, name));
  const imported = files.filter((file) => file.endsWith('.ts') && !isTest(file)).flatMap(importedBy);
  return new Set(imported.map(featureOf).filter((other) => other && isNeighbour(other, feature)));
}

const FIX = 'Import only types one way, or move what both need to a place of its own.';

const isNeighbour = (one, other) => one !== other && dirname(one) === dirname(other);

export const featureCycles = {
  meta: { type: 'problem', schema: [], messages: { cycle: `Features that import each other: {{ way }}. ${FIX}` } },
  create: (context) => ({
    Program() {
      const { filename, sourceCode } = context;
      const feature = featureOf(filename);
      if (!feature) return;
      for (const { to, at } of importsOf(filename, sourceCode.text)) {
        const other = featureOf(to);
        const way = other && isNeighbour(other, feature) && wayBetween(other, feature, featuresImportedBy);
        if (!way) continue;
        const names = [feature, ...way].map((folder) => relative(ROOT, folder));
        context.report({ loc: sourceCode.getLocFromIndex(at), messageId: 'cycle', data: { way: names.join(' → ') } });
      }
    },
  }),
};

export const importCycles = {
  meta: { type: 'problem', schema: [], messages: { cycle: `An import cycle: {{ way }}. ${FIX}` } },
  create: (context) => ({
    Program() {
      const { filename, sourceCode } = context;
      // A file that did not lead back through one import does not through another, either.
      const seen = new Set();
      for (const { to, at } of importsOf(filename, sourceCode.text)) {
        const way = wayBetween(to, filename, importedBy, seen);
        if (!way) continue;
        const names = [filename, ...way].map((file) => relative(ROOT, file));
        context.report({ loc: sourceCode.getLocFromIndex(at), messageId: 'cycle', data: { way: names.join(' → ') } });
      }
    },
  }),
};

// Compiles TypeScript: for the build, for Jest and for programs that run in place.
import { dirname, relative } from 'node:path';
import { transform, transformSync } from '@swc/core';

/** Must agree with tsconfig.json. The compiler does not check types; `npm run typecheck` does. */
export const COMPILER = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'commonjs' },
};

/** `import()` is not compiled to `require`, so that it can load ES modules. */
const NODE = { ...COMPILER, module: { ...COMPILER.module, ignoreDynamic: true } };

/** Sources import libraries by name, what runs by path: of the file with this name. */
function byPath(code, filename, index) {
  return code.replace(/require\("@lettermill\/([a-z]+)"\)/g, (_, name) => {
    const path = relative(dirname(filename), `libs/${name}/src/${index}`);
    return `require("${path.startsWith('.') ? path : `./${path}`}")`;
  });
}

/**
 * Makes an index copy its re-exports when it is loaded, instead of the getters that the compiler writes: with those, each call between
 * libraries would look its function up by name. This requires that no two files import each other and that no export is reassigned.
 */
function copied(code) {
  return code.replace(
    /Object\.defineProperty\(to, k, \{\s*enumerable: true,\s*get: function\(\) \{\s*return from\[k\];\s*\}\s*\}\);/,
    'to[k] = from[k];',
  );
}

/** Compiles one source file (path from the root) to a module of the tree below `dist`, with its source map. */
export async function compiled(source, filename) {
  const sourceFileName = relative(dirname(`dist/${filename}`), filename);
  const { code, map } = await transform(source, { ...NODE, filename, sourceFileName, sourceMaps: true });
  return { code: copied(byPath(code, filename, 'index.js')), map };
}

/** The same for a program that runs where its source is. */
export function inPlace(source, filename) {
  const { code } = transformSync(source, { ...NODE, filename, sourceMaps: 'inline' });
  return byPath(code, filename, 'index.ts');
}

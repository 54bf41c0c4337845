// How TypeScript becomes JavaScript here: for the build, for Jest and for programs that run in place.
import { dirname, relative } from 'node:path';
import { transform, transformSync } from '@swc/core';

/** Types are not checked by this (`npm run typecheck`). What it says must agree with tsconfig.json. */
export const COMPILER = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'commonjs' },
};

/** `import()` of an ES module stays as it is: Node's own. */
const NODE = { ...COMPILER, module: { ...COMPILER.module, ignoreDynamic: true } };

/** Libraries are found by name in the sources, by path in what was built. */
function byPath(code, filename) {
  return code.replace(/require\("@lettermill\/([a-z]+)"\)/g, (_, name) => {
    const path = relative(dirname(filename), `libs/${name}/src/index.js`);
    return `require("${path.startsWith('.') ? path : `./${path}`}")`;
  });
}

/**
 * What an index passes on is copied when it is loaded: behind the getters that the compiler writes each call between libraries would look
 * its function up by name. Right as long as no two files import each other and nothing that is exported is assigned to again.
 */
function copied(code) {
  return code.replace(
    /Object\.defineProperty\(to, k, \{\s*enumerable: true,\s*get: function\(\) \{\s*return from\[k\];\s*\}\s*\}\);/,
    'to[k] = from[k];',
  );
}

/** One source file, named from the root, as a module of the tree below `dist`, with its map. */
export async function compiled(source, filename) {
  const sourceFileName = relative(dirname(`dist/${filename}`), filename);
  const { code, map } = await transform(source, { ...NODE, filename, sourceFileName, sourceMaps: true });
  return { code: copied(byPath(code, filename)), map };
}

/** The same for a program that runs where its source is. */
export function inPlace(source, filename) {
  return transformSync(source, { ...NODE, filename, sourceMaps: 'inline' }).code;
}

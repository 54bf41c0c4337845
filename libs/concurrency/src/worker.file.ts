import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The compiled file of a worker thread beside the caller: pass `__dirname` and the name without its extension. When
 * TypeScript sources run (as in tests), it is the file in `dist`, so that a thread never needs a compiler. Throws if it
 * was not compiled.
 */
export function workerFile(directory: string, name: string): string {
  const marks = [`${sep}libs${sep}`, `${sep}apps${sep}`];
  const compiled = directory.includes(`${sep}dist${sep}`);
  const mark = marks.find((candidate) => directory.includes(candidate));
  if (compiled || !mark) return join(directory, `${name}.js`);
  const at = directory.lastIndexOf(mark);
  const file = join(directory.slice(0, at), 'dist', directory.slice(at), `${name}.js`);
  if (!existsSync(file)) throw new Error(`${file} is not there: run \`npm run build\`, or the tests by \`npm test\`.`);
  return file;
}

import { join, sep } from 'node:path';

/**
 * The compiled file of a worker thread that lies beside the caller: pass `__dirname` and the name without its ending.
 * From TypeScript sources (as tests run them) it is the one in `dist`, so that a thread never needs a compiler.
 */
export function workerFile(directory: string, name: string): string {
  const marks = [`${sep}libs${sep}`, `${sep}apps${sep}`];
  const compiled = directory.includes(`${sep}dist${sep}`);
  const mark = marks.find((candidate) => directory.includes(candidate));
  if (compiled || !mark) return join(directory, `${name}.js`);
  const at = directory.lastIndexOf(mark);
  return join(directory.slice(0, at), 'dist', directory.slice(at), `${name}.js`);
}

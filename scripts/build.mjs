// Compiles all apps and libs into dist. With --if-stale, only when a source is newer than the last build.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compiled } from './compile.mjs';

const STAMP = 'dist/.built';
/** The new build replaces the last one only when it is complete: a build that fails, or runs beside a running process, breaks nothing. */
const MAKING = 'dist.making';
const SOURCES = ['apps', 'libs', 'scripts'];
const WATCHED = [...SOURCES, 'package.json', 'package-lock.json'];

/** Files that only tests and type checks need are not built. */
const BESIDE = /\.(spec|contract|d)\.ts$|[\\/]testing[\\/]/;

const below = (path) =>
  statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map((name) => join(path, name)) : [path];

const newest = () => Math.max(...WATCHED.flatMap(below).map((path) => statSync(path).mtimeMs));
const stale = () => !existsSync(STAMP) || newest() > statSync(STAMP).mtimeMs;

async function build(source) {
  const target = join(MAKING, source.replace(/\.ts$/, '.js'));
  const { code, map } = await compiled(readFileSync(source, 'utf8'), source);
  mkdirSync(dirname(target), { recursive: true });
  const mode = code.startsWith('#!') ? 0o777 : 0o666;
  writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`, { mode });
  writeFileSync(`${target}.map`, map);
}

if (!process.argv.includes('--if-stale') || stale()) {
  process.stderr.write('building ...\n');
  rmSync(MAKING, { recursive: true, force: true });
  mkdirSync(MAKING);
  // The stamp is the time of the start, so that a source that changes during the build is newer.
  writeFileSync(join(MAKING, basename(STAMP)), `${new Date().toISOString()}\n`);
  const sources = SOURCES.flatMap(below).filter((path) => path.endsWith('.ts') && !BESIDE.test(path));
  await Promise.all(sources.map(build));
  rmSync('dist', { recursive: true, force: true });
  renameSync(MAKING, 'dist');
}

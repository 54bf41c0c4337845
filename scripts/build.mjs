// Builds everything into dist. With --if-stale, only when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = 'dist/.built';
const SOURCES = [
  'apps',
  'libs',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return /\.(ts|json)$/.test(path) ? stats.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const stale = () => !existsSync(STAMP) || Math.max(...SOURCES.map(newest)) > statSync(STAMP).mtimeMs;

if (!process.argv.includes('--if-stale') || stale()) {
  process.stderr.write('building ...\n');
  rmSync('dist', { recursive: true, force: true });
  // One program holds all apps and libs: standalone imports every one of them.
  const built = spawnSync(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build', 'standalone'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
  writeFileSync(STAMP, `${new Date().toISOString()}\n`);
}

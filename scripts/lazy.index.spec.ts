import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const indexes = readdirSync('libs', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('/index.ts') && !path.startsWith('version/'))
  .map((path) => join('libs', path));
const builtOf = (path: string) => resolve('dist', path.replace(/ts$/, 'js'));
const NAMES = 'JSON.stringify(process.argv.slice(1).map((path) => Object.keys(require(path)).sort()))';

describe('the index of a library, as suites load it', () => {
  it('exports what the built one does', async () => {
    const built = execFileSync(process.execPath, ['-p', NAMES, ...indexes.map(builtOf)], { encoding: 'utf8' });
    const lazy = await Promise.all(indexes.map(async (path) => Object.keys((await import(resolve(path))) as object)));
    expect(lazy.map((names) => names.sort())).toEqual(JSON.parse(built));
  });

  it.each(indexes)('loads no file before something is used: %s', async (path) => {
    jest.resetModules();
    await import(resolve(path));
    expect(Object.keys(require.cache).filter((loaded) => existsSync(loaded))).toEqual([resolve(path)]);
  });
});

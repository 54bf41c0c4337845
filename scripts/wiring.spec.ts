import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const APPS = join(__dirname, '..', 'apps');
const files = readdirSync(APPS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const read = (path: string) => readFileSync(join(APPS, path), 'utf8');

it('a module of its app names every controller and consumer: one that is left out answers and reads nothing', () => {
  const appOf = (path: string) => path.split('/')[0]!;
  const named = files
    .filter((path) => path.endsWith('.module.ts'))
    .flatMap((path) =>
      [...read(path).matchAll(/\bcontrollers: \[([^\]]*)\]/g)]
        .flatMap(([, list]) => list!.match(/\w+/g)!)
        .map((name) => `${appOf(path)}: ${name}`),
    );
  const written = files
    .filter((path) => /\.(controller|consumer)\.ts$/.test(path))
    .flatMap((path) => [...read(path).matchAll(/^export class (\w+)/gm)].map(([, name]) => `${appOf(path)}: ${name}`));
  expect(written.length).toBeGreaterThan(15);
  expect(written.filter((one) => !named.includes(one))).toEqual([]);
});

it('a spec beside it runs every adapter of a store with the suite of its port, or with all others of that port', () => {
  const adapters = files.filter((path) => /\.store\.(libsql|mongoose|memory)\.ts$/.test(path));
  expect(adapters.length).toBeGreaterThan(15);
  const portOf = (path: string) => path.replace(/\.\w+\.ts$/, '');
  const isRun = (adapter: string) => {
    const beside = adapters.filter((other) => portOf(other) === portOf(adapter));
    const specs = files.filter((path) => dirname(path) === dirname(adapter) && path.endsWith('.spec.ts')).map(read);
    const runs = (spec: string, path: string) => spec.includes(`from './${basename(path, '.ts')}'`);
    const suite = `${portOf(adapter)}.contract.ts`;
    return specs.some(
      (spec) =>
        runs(spec, adapter) && (runs(spec, suite) || (beside.length > 1 && beside.every((one) => runs(spec, one)))),
    );
  };
  expect(adapters.filter((adapter) => !isRun(adapter))).toEqual([]);
});

it('no two stores share a collection, or the name that their migrations are noted under', () => {
  const found = (kind: string, pattern: RegExp) =>
    files
      .filter((path) => path.endsWith(`.${kind}.ts`))
      .flatMap((path) => [...read(path).matchAll(pattern)].map(([, name]) => name!));
  const collections = found('mongoose', /\bmodelOf(?:<\w+>)?\([\w.]+,\s*'(\w+)'/g);
  const noted = found('mongoose', /\bmigrateMongo\(this\.connection, '([\w.]+)'/g);
  const notedInSql = found('libsql', /\.migrate\('([\w.]+)'/g);
  expect(Math.min(collections.length, noted.length, notedInSql.length)).toBeGreaterThan(8);
  for (const names of [collections, noted, notedInSql]) {
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNERS } from '@lettermill/config';

const APPS = join(__dirname, '..', '..', 'apps');

const controllersOf = (app: string) =>
  readdirSync(join(APPS, app, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.controller.ts'))
    .map((path) => join(app, 'src', path));

it('the services that own data answer only the gateway', () => {
  const controllers = OWNERS.flatMap(controllersOf);
  const guarded = /@Controller\(.*\)\n@UseGuards\(InternalGuard\)\n/;
  const isGuarded = (path: string) => guarded.test(readFileSync(join(APPS, path), 'utf8'));
  expect(controllers.length).toBeGreaterThan(6);
  expect(controllers.filter((path) => !isGuarded(path))).toEqual([]);
});

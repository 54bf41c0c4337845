// Writes the generated files: the pages on errors, events and the API, its Postman collection, and the alert rules as a
// resource of Kubernetes. With --check it only reports which are out of date.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@lettermill/config';
import { createLogger } from '@lettermill/runtime';
import { Standalone } from '../apps/standalone/src/standalone';
import { asyncApiDocument, eventsPage } from './docs.events';
import { errorsPage } from './docs.errors';

const ROOT = process.cwd();
const RULES = 'observability/prometheus/lettermill.rules.yml';
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** The OpenAPI document as a running instance serves it. */
async function openApi(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lettermill-docs-'));
  const config = { ...readConfig({ DATA_DIR: dataDir }, 'standalone'), port: 0 };
  const standalone = new Standalone(config, createLogger('error'), (error) => {
    throw error;
  });
  try {
    const banner = await standalone.start();
    const [, url] = /API\s+(\S+)\/v2/.exec(banner)!;
    return json(await (await fetch(`${url}/openapi.json`)).json());
  } finally {
    await standalone.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The alert rules of Prometheus' own file, in the form for the Prometheus operator. */
function prometheusRule(): string {
  const rules = readFileSync(join(ROOT, RULES), 'utf8');
  const [head, groups] = [rules.slice(0, rules.indexOf('groups:')), rules.slice(rules.indexOf('groups:'))];
  return [
    `# Made from ${RULES} by npm run docs: change it there.\n${head}`,
    'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: lettermill\nspec:\n',
    groups.replace(/^(?=.)/gm, '  '),
  ].join('');
}

/** Writes the Postman collection from the OpenAPI document, which must have been written before. */
function postman(): number {
  if (existsSync(join(ROOT, 'tools/node_modules'))) {
    const made = spawnSync(process.execPath, ['scripts/postman.mjs', ...process.argv.slice(2)], { stdio: 'inherit' });
    return made.status ?? 1;
  }
  process.stdout.write('left out: docs/postman.json (it needs npm ci --prefix tools)\n');
  return 0;
}

async function main(): Promise<void> {
  const pages: Record<string, string> = {
    'docs/errors.md': errorsPage(),
    'docs/events.md': eventsPage(),
    'docs/asyncapi.json': json(asyncApiDocument()),
    'docs/openapi.json': await openApi(),
    'k8s/components/monitoring/prometheus-rule.yaml': prometheusRule(),
  };
  const check = process.argv.includes('--check');
  const drifted = Object.entries(pages).filter(([name, text]) => {
    const path = join(ROOT, name);
    if (!check) writeFileSync(path, text);
    return readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text;
  });
  for (const [name] of drifted)
    process.stderr.write(`${name} has drifted from what it is made from: run npm run docs\n`);
  process.exit(postman() === 0 && drifted.length === 0 ? 0 : 1);
}

void main();

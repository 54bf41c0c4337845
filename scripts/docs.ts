// Writes the pages that are made from the code: errors, events, API and its Postman collection. With --check it only tells what has drifted.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readConfig } from '@lettermill/runtime';
import { Standalone } from '../apps/standalone/src/standalone';
import { asyncApiDocument, eventsPage } from './docs.events';
import { errorsPage } from './docs.errors';

const DOCS = join(process.cwd(), 'docs');
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** The document as the running instance serves it. */
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

/** The Postman collection, from the OpenAPI document that is written by then. */
function postman(): number {
  if (existsSync(join(process.cwd(), 'tools/node_modules'))) {
    const made = spawnSync(process.execPath, ['scripts/postman.mjs', ...process.argv.slice(2)], { stdio: 'inherit' });
    return made.status ?? 1;
  }
  process.stdout.write('left out: docs/postman.json (it needs npm ci --prefix tools)\n');
  return 0;
}

async function main(): Promise<void> {
  const pages: Record<string, string> = {
    'errors.md': errorsPage(),
    'events.md': eventsPage(),
    'asyncapi.json': json(asyncApiDocument()),
    'openapi.json': await openApi(),
  };
  const check = process.argv.includes('--check');
  const drifted = Object.entries(pages).filter(([name, text]) => {
    const path = join(DOCS, name);
    if (!check) writeFileSync(path, text);
    return readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text;
  });
  for (const [name] of drifted) process.stderr.write(`docs/${name} has drifted from the code: run npm run docs\n`);
  process.exit(postman() === 0 && drifted.length === 0 ? 0 : 1);
}

void main();

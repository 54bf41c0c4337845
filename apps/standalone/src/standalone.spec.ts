import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import files from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { readConfig, SERVICES } from '@lettermill/config';
import { Service } from '@lettermill/runtime';
import pino from 'pino';
import { Standalone } from './standalone';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'standalone-'))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(dataDir, { recursive: true });
});

const standalone = (lines: string[], environment: NodeJS.ProcessEnv = {}) => {
  const config = { ...readConfig({ DATA_DIR: dataDir, ...environment }, 'standalone'), port: 0 };
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  return new Standalone(config, logger, (error) => void lines.push(error.message));
};

describe('a process that is stopped while it starts', () => {
  // The gateway is the last.
  it.each([0, 1, 3, SERVICES.length])('releases everything if stopped at service %i', async (at) => {
    const lines: string[] = [];
    const process = standalone(lines);
    const create = Service.create.bind(Service);
    let stopping: Promise<void> | undefined;
    let made = 0;
    jest.spyOn(Service, 'create').mockImplementation((...given) => {
      if ((made += 1) === at) stopping = process.stop();
      return create(...given);
    });
    const starting = process.start().catch((error: Error) => error);
    if (at === 0) stopping = process.stop();
    expect(await starting).toBeInstanceOf(Error);
    await stopping;
    expect(lines).toEqual([]);
    // Everything that the process held is released.
    const next = standalone(lines);
    expect(await next.start()).toContain('Lettermill is ready');
    await next.stop();
    expect(lines).toEqual([]);
  });
});

it('a process names the variable to set if another program has the port of its mailbox', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const config = { ...readConfig({ DATA_DIR: dataDir, MAILBOX_SMTP_PORT: String(port) }, 'standalone'), port: 0 };
  const process = new Standalone(config, pino({ level: 'silent' }), () => undefined);
  await expect(process.start()).rejects.toThrow('set MAILBOX_SMTP_PORT to another port');
  await process.stop();
  other.close();
});

it('a process that is stopped serves requests for DRAIN_SECONDS, and reports that it is not ready', async () => {
  const process = standalone([], { DRAIN_SECONDS: '3' });
  const gateway = /http:\S+(?=\/v2)/.exec(await process.start())![0];
  const stopping = process.stop();
  // Without the drain time the gateway would no longer accept connections by then.
  await pause(500);
  const statuses = ['/health/ready', '/health/live'].map(async (path) => (await fetch(`${gateway}${path}`)).status);
  expect(await Promise.all(statuses)).toEqual([503, 200]);
  await stopping;
  await expect(fetch(`${gateway}/health/live`)).rejects.toThrow('fetch failed');
});

it('a process that is stopped without DRAIN_SECONDS refuses connections once none is waiting', async () => {
  const process = standalone([]);
  const { hostname, port } = new URL(/http:\S+(?=\/v2)/.exec(await process.start())![0]);
  const stopping = process.stop();
  // A few turns of the event loop accept what was waiting before.
  for (let step = 0; step < 10; step += 1) await turn();
  await expect(once(connect(Number(port), hostname), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await stopping;
});

describe('a data directory that was restored without its instance-secret', () => {
  const secret = () => join(dataDir, 'instance-secret');
  const startAndStop = async (environment?: NodeJS.ProcessEnv) => {
    const lines: string[] = [];
    const process = standalone(lines, environment);
    await process.start();
    await process.stop();
    return lines;
  };

  it('is reported once', async () => {
    expect(await startAndStop()).toEqual([]);
    rmSync(secret());
    expect(await startAndStop()).toEqual([expect.stringContaining('instance-secret was missing from DATA_DIR')]);
    expect(await startAndStop()).toEqual([]);
  });

  it('is not reported if the former secret is given', async () => {
    await startAndStop();
    const FORMER_INTERNAL_SECRET = readFileSync(secret(), 'utf8').trim();
    rmSync(secret());
    expect(await startAndStop({ FORMER_INTERNAL_SECRET })).toEqual([]);
  });
});

describe('a process that is started on a full volume', () => {
  const mockFullVolume = () =>
    jest.spyOn(files, 'statfs').mockResolvedValue({ bavail: 0, bsize: 4096, files: 0, ffree: 0 } as never);
  const waitForWarning = async (lines: string[]) => {
    while (lines.length === 0) await pause(20);
    expect(lines[0]).toMatch(/waiting for room in DATA_DIR/);
    expect(lines[0]).toContain(dataDir);
    expect(readdirSync(dataDir)).toEqual([]);
  };

  it('reports it, and continues once there is room', async () => {
    const lines: string[] = [];
    const process = standalone(lines);
    const volume = mockFullVolume();
    const starting = process.start();
    await waitForWarning(lines);
    volume.mockRestore();
    expect(await starting).toContain('Lettermill is ready');
    await process.stop();
  });

  it('can be stopped', async () => {
    const lines: string[] = [];
    const process = standalone(lines);
    mockFullVolume();
    const starting = process.start().catch((error: Error) => error);
    await waitForWarning(lines);
    await process.stop();
    expect(await starting).toBeInstanceOf(Error);
  });
});

it('a process with a public address shows its mailbox to nobody without a key', async () => {
  const process = standalone([], { PUBLIC_URL: 'https://mail.example.com' });
  const mailbox = /http:\S+\/mailbox/.exec(await process.start())![0];
  const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
  const statusWith = async (headers: Record<string, string>) => (await fetch(mailbox, { headers })).status;
  try {
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  } finally {
    await process.stop();
  }
});

it('a process shows its mailbox to remote callers with a key of the account, and to no others', async () => {
  const process = standalone([]);
  const mailbox = /http:\S+\/mailbox/.exec(await process.start())![0];
  const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(mailbox, { headers: { ...headers, 'x-forwarded-for': '203.0.113.9' } })).status;
  try {
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  } finally {
    await process.stop();
  }
});

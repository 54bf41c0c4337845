import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import dns from 'node:dns';
import { connect, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterwards } from '../testing/test.servers';
import { SMTP_DEFAULTS } from './smtp.options';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';

const ACCEPTING_SERVER = `
  const server = require('net').createServer((socket) => {
    socket.write('220 hop\\r\\n');
    socket.on('error', () => {}).on('data', (data) => {
      for (const line of String(data).split('\\r\\n').slice(0, -1)) {
        if (/^(EHLO|MAIL|RCPT|QUIT)/.test(line) || line === '.') socket.write('250 yes\\r\\n');
        if (line === 'DATA') socket.write('354 go on\\r\\n');
      }
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

/** A server in a process of its own, which can be made to leave connections unanswered. */
async function server(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['-e', ACCEPTING_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  afterwards(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout as Readable, 'data')) as [Buffer];
  return { child, port: Number(port) };
}

/** Stops answering connections until the process continues: the connections opened here fill its backlog. */
async function stop({ child, port }: { child: ChildProcess; port: number }): Promise<void> {
  child.kill('SIGSTOP');
  for (let i = 0; i < 4; i += 1) {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    afterwards(() => void socket.destroy());
  }
  await pause(50);
}

function mockAddresses(...addresses: string[]): void {
  const all = addresses.map((address) => ({ address, family: 4 }));
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((_host: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, all)) as unknown as typeof dns.lookup);
}

describe('a next hop with several addresses', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is reached through a slow first address if the second refuses', async () => {
    const slow = await server();
    await stop(slow);
    mockAddresses('127.0.0.1', '127.0.0.2');
    const smtp = pool({ ...hopAt(slow.port), host: 'hop.example' });
    const sent = smtp.send(to('ada'), content(), notWithdrawn());
    await pause(500);
    slow.child.kill('SIGCONT');
    expect(await sent).toMatchObject({ outcome: 'sent' });
  });

  it('is reached through the second address if the first refuses', async () => {
    const { port } = await server();
    mockAddresses('127.0.0.2', '127.0.0.1');
    const smtp = pool({ ...hopAt(port), host: 'hop.example' });
    expect(await smtp.send(to('ada'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
  });

  it.each<[string, string | undefined, number]>([
    ['takes no mail for now', '421 4.3.2 not now\r\n', 0],
    ['says nothing', undefined, 200],
  ])('is reached through the second address if the server at the first %s', async (_, greeting, greetingMs) => {
    const { port } = await server();
    const useless = createServer((socket) => {
      socket.on('error', () => undefined);
      if (greeting) socket.end(greeting);
    }).listen(port, '127.0.0.2');
    afterwards(() => void useless.close());
    await once(useless, 'listening');
    mockAddresses('127.0.0.2', '127.0.0.1');
    const timeouts = { ...SMTP_DEFAULTS.timeouts, ...(greetingMs && { connect: 100, greeting: greetingMs }) };
    const smtp = pool({ ...hopAt(port), host: 'hop.example' }, { pause: { first: 1, longest: 1 }, timeouts });
    const send = () => smtp.send(to('ada'), content(), notWithdrawn());
    expect(await send()).toMatchObject({ outcome: 'deferred', peer: { remoteAddress: '127.0.0.2' } });
    await pause(10);
    for (let mail = 0; mail < 2; mail += 1)
      expect(await send()).toMatchObject({ outcome: 'sent', peer: { remoteAddress: '127.0.0.1' } });
  });
});

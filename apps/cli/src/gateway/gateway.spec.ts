import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortenNextTimeout, StallingServer } from '../../../../libs/runtime/src/testing/stalling.server';
import { Gateway } from './gateway';

describe('the gateway client', () => {
  /** The answers of the gateway, in order; null: it closes the connection, undefined body: it does so in the middle of the answer. */
  let answers: ([number, object | string | undefined] | null)[] = [];
  let requests: string[] = [];
  let waits: number[] = [];
  let messages: string[] = [];
  let wait = '1';
  let server: Server;
  let gateway: Gateway;

  beforeEach(async () => {
    [answers, requests, waits, messages] = [[], [], [], []];
    wait = '1';
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const answer = answers.shift();
      if (!answer) return request.socket.destroy();
      const [status, body] = answer;
      response.writeHead(status, { 'retry-after': wait, location: '/elsewhere' });
      if (body === undefined) return response.write('{', () => request.socket.destroy());
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const LETTERMILL_API_KEY = 'k'.repeat(20);
    const environment = { GATEWAY_URL: `http://127.0.0.1:${port}/`, LETTERMILL_API_KEY };
    const report = (text: string) => void messages.push(text);
    gateway = await Gateway.of(environment, report, (ms) => Promise.resolve(void waits.push(ms)));
  });
  afterEach(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));

  it('waits as long as the rate limit says', async () => {
    wait = '900';
    answers = [
      [429, {}],
      [202, { state: 'queued' }],
    ];
    expect(await gateway.call('POST', '/v2/x')).toMatchObject({ status: 202, body: { state: 'queued' } });
    expect(requests).toEqual(Array(2).fill(`POST /v2/x Bearer ${'k'.repeat(20)}`));
    expect(waits).toEqual([900_000]);
  });

  it('calls with LETTERMILL_API_KEY, else with BOOTSTRAP_API_KEY', async () => {
    const keys = { LETTERMILL_API_KEY: 'l'.repeat(20), BOOTSTRAP_API_KEY: 'b'.repeat(20) };
    for (const environment of [keys, { BOOTSTRAP_API_KEY: keys.BOOTSTRAP_API_KEY }]) {
      answers = [[200, {}]];
      const own = await Gateway.of({ GATEWAY_URL: gateway.url, ...environment }, () => undefined);
      await own.call('GET', '/v2/x');
    }
    expect(requests.map((request) => request.split(' ').at(-1))).toEqual(['l'.repeat(20), 'b'.repeat(20)]);
  });

  it('keeps waiting while other calls use up the rate limit', async () => {
    answers = [...Array<[number, object]>(30).fill([429, {}]), [202, { state: 'queued' }]];
    expect(await gateway.call('POST', '/v2/x')).toMatchObject({ status: 202 });
    expect(requests).toHaveLength(31);
  });

  it('keeps waiting while not all that was accepted is known', async () => {
    answers = [...Array<[number, object]>(30).fill([503, { code: 'not_known_yet' }]), [200, { data: [] }]];
    expect(await gateway.call('GET', '/v2/x')).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(31);
    expect(messages).toEqual([expect.stringMatching(/^Not everything that was accepted is known yet, /)]);
  });

  it('says once what it waits for, and until when, however many calls wait', async () => {
    wait = '900';
    answers = [
      ...Array<[number, object]>(8).fill([429, {}]),
      ...Array<[number, object]>(4).fill([202, {}]),
      [503, {}],
      [202, {}],
    ];
    const before = Date.now();
    await Promise.all(Array.from({ length: 4 }, () => gateway.call('POST', '/v2/x')));
    const [, until] = /^The rate limit of the account is reached\. Waiting until (\S+);/.exec(messages.join()) ?? [];
    expect(Date.parse(until!)).toBeGreaterThanOrEqual(before + 900_000);
    await gateway.call('POST', '/v2/x');
    expect(messages).toEqual([expect.any(String), expect.stringMatching(/^The gateway answers 503: /)]);
  });

  it('repeats a call whose response broke off', async () => {
    answers = [
      [200, undefined],
      [200, { data: [] }],
    ];
    expect(await gateway.call('GET', '/v2/x')).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('does not wait for ever for the rest of a response, even after a garbage collection', async () => {
    const stalling = await StallingServer.open();
    shortenNextTimeout(1_500);
    const environment = { GATEWAY_URL: stalling.url, LETTERMILL_API_KEY: 'k'.repeat(20) };
    const stopped = new Error('it waits to try again');
    const messages: string[] = [];
    const waiting = await Gateway.of(
      environment,
      (text) => void messages.push(text),
      () => Promise.reject(stopped),
    );
    const broken = expect(waiting.call('GET', '/v2/x')).rejects.toBe(stopped);
    await stalling.collectGarbageMeanwhile();
    await broken.finally(() => stalling.close());
    expect(messages).toEqual([expect.stringContaining("can't be reached (TimeoutError)")]);
  });

  it.each([
    [200, '<html>Log in</html>'],
    [200, '[]'],
    [302, '<html>Moved</html>'],
    [404, ''],
    [405, '<html>Not allowed</html>'],
  ])('takes %d with «%s» for the response of another program', async (status, body) => {
    answers = [[status, body]];
    const expected = { exitCode: 1, message: expect.stringMatching(new RegExp(`answers ${status}, .*GATEWAY_URL`)) };
    await expect(gateway.call('POST', '/v2/x')).rejects.toMatchObject(expected);
    expect(requests).toHaveLength(1);
  });

  it('lets no control characters of a response reach the terminal', async () => {
    answers = Array<[number, object]>(20).fill([500, { detail: '\u001b[31mgone' }]);
    const expected = { message: expect.stringContaining('answers 500: \ufffd[31mgone') };
    await expect(gateway.call('GET', '/v2/x')).rejects.toMatchObject(expected);
  });

  it('retries if the gateway has responded before, but not if it never did', async () => {
    const hungUp = {
      exitCode: 1,
      message: expect.stringMatching(/can't be reached \(UND_ERR_SOCKET\)\. .*GATEWAY_URL/),
    };
    await expect(gateway.call('GET', '/v2/x')).rejects.toMatchObject(hungUp);
    answers = [[200, { data: [] }], null, [503, {}], [409, { code: 'message_not_retryable' }]];
    await gateway.call('GET', '/v2/x');
    expect(await gateway.call('GET', '/v2/y')).toMatchObject({ status: 409, body: { code: 'message_not_retryable' } });
    expect(requests).toHaveLength(5);
  });

  it('takes an answer without content for one, but no other that is empty', async () => {
    answers = [
      [204, ''],
      [200, ''],
    ];
    expect(await gateway.call('DELETE', '/v2/x')).toMatchObject({ status: 204, body: {} });
    await expect(gateway.call('DELETE', '/v2/x')).rejects.toMatchObject({ message: expect.stringContaining('200') });
  });

  it('reports an unknown key, and does not retry', async () => {
    answers = [[401, {}]];
    await expect(gateway.call('GET', '/v2/x')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/does not accept the key\. Set LETTERMILL_API_KEY/),
    });
    expect(requests).toHaveLength(1);
  });
});

describe('the key of the first start', () => {
  let dataDir: string;
  const gateway = () => Gateway.of({ DATA_DIR: dataDir }, () => undefined);

  beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'gateway-key-'))));
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is used if no other is given', async () => {
    await writeFile(join(dataDir, 'api-key'), `${'k'.repeat(20)}\n`);
    expect(await gateway()).toMatchObject({ key: 'k'.repeat(20) });
  });

  it('that is not there has to be given', async () => {
    await expect(gateway()).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(/^Set LETTERMILL_API_KEY/),
    });
  });

  it('that cannot be read is reported with path and code', async () => {
    const path = join(dataDir, 'api-key');
    await mkdir(path);
    const message = expect.stringContaining(`The key in ${path} cannot be read (EISDIR)`);
    await expect(gateway()).rejects.toMatchObject({ exitCode: 78, message });
  });
});

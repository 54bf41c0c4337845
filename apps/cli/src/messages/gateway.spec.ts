import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from './gateway';

describe('the gateway that commands call', () => {
  /** What it answers, one after the other; null: it hangs up. */
  let answers: ([number, object] | null)[] = [];
  let asked: string[] = [];
  let server: Server;
  let gateway: Gateway;

  beforeEach(async () => {
    [answers, asked] = [[], []];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const answer = answers.shift();
      if (!answer) return request.socket.destroy();
      response.writeHead(answer[0], { 'retry-after': '1' }).end(JSON.stringify(answer[1]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const LETTERMILL_API_KEY = 'k'.repeat(20);
    gateway = await Gateway.of({ GATEWAY_URL: `http://127.0.0.1:${port}/`, LETTERMILL_API_KEY });
  });
  afterEach(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));

  it('waits for its rate limit, as long as it says', async () => {
    answers = [
      [429, {}],
      [202, { state: 'queued' }],
    ];
    expect(await gateway.call('POST', '/v2/x')).toEqual({ status: 202, body: { state: 'queued' } });
    expect(asked).toEqual(Array(2).fill(`POST /v2/x Bearer ${'k'.repeat(20)}`));
  });

  it('waits for one that has answered and is away, and for none that never did', async () => {
    await expect(gateway.call('GET', '/v2/x')).rejects.toMatchObject({ exitCode: 1 });
    answers = [[200, { data: [] }], null, [503, {}], [409, { code: 'message_not_retryable' }]];
    await gateway.call('GET', '/v2/x');
    expect(await gateway.call('GET', '/v2/y')).toMatchObject({ status: 409, body: { code: 'message_not_retryable' } });
    expect(asked).toHaveLength(5);
  });

  it('tells of a key that is not known, and does not ask again', async () => {
    answers = [[401, {}]];
    await expect(gateway.call('GET', '/v2/x')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('know the key'),
    });
    expect(asked).toHaveLength(1);
  });
});

import { createSocket, type Socket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { HostAddresses } from './host.addresses';

const A_RECORD = 1;
const SERVER_FAILED = 2;
const NO_SUCH_NAME = 3;

/**
 * A name server: `found.test` has addresses, `half.test` only one kind, `empty.test` none, `broken.test` fails, `silent.test` gets no answer;
 * no other name exists.
 */
function answerTo(query: Buffer): Buffer | undefined {
  const end = query.indexOf(0, 12);
  const name = query.toString('latin1', 13, 13 + query[12]!);
  const type = query.readUInt16BE(end + 1);
  const question = query.subarray(12, end + 5);
  const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (name.startsWith('silent')) return undefined;
  if (name === 'empty') return Buffer.concat([head, question]);
  const broken = name === 'broken' || (name === 'half' && type !== A_RECORD);
  if (broken || !/found|half/.test(name)) {
    head[3]! |= broken ? SERVER_FAILED : NO_SUCH_NAME;
    return Buffer.concat([head, question]);
  }
  const address = type === A_RECORD ? [192, 0, 2, 1] : [0x20, 1, 0x0d, 0xb8, ...Array<number>(11).fill(0), 1];
  head[7] = 1;
  const answer = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);
  return Buffer.concat([head, question, answer]);
}

describe('HostAddresses', () => {
  let server: Socket;
  let queryCount = 0;
  let servers: string[];
  const notAborted = new AbortController().signal;

  beforeAll(async () => {
    server = createSocket('udp4').on('message', (query, { port, address }) => {
      queryCount += 1;
      const answer = answerTo(query);
      if (answer) server.send(answer, port, address);
    });
    await once(server.bind(0, '127.0.0.1'), 'listening');
    servers = [`127.0.0.1:${server.address().port}`];
  });
  beforeEach(() => {
    queryCount = 0;
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.close());

  it('returns the addresses of both families', async () => {
    const hosts = new HostAddresses(false, servers);
    expect(await hosts.lookUp('found.test', notAborted)).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(queryCount).toBe(2);
  });

  it('returns the addresses of one family if the lookup of the other fails, and rejects if both fail', async () => {
    const hosts = new HostAddresses(false, servers);
    expect(await hosts.lookUp('half.test', notAborted)).toEqual(['192.0.2.1']);
    await expect(hosts.lookUp('broken.test', notAborted)).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('returns none for a host without an address, and for a name that no host can have', async () => {
    const hosts = new HostAddresses(false, servers);
    expect(await hosts.lookUp('empty.test', notAborted)).toEqual([]);
    expect(await hosts.lookUp(`${'x'.repeat(64)}.test`, notAborted)).toEqual([]);
  });

  it('returns what the system resolver knows of a host although DNS fails', async () => {
    const hosts = new HostAddresses(true, servers);
    const system = jest.spyOn(dns, 'lookup').mockResolvedValueOnce([{ address: '192.0.2.9', family: 4 }] as never);
    expect(await hosts.lookUp('broken.test', notAborted)).toEqual(['192.0.2.9']);
    system.mockResolvedValueOnce([] as never);
    await expect(hosts.lookUp('broken.test', notAborted)).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('returns none for an unknown host, without asking the system resolver', async () => {
    const system = jest.spyOn(dns, 'lookup');
    expect(await new HostAddresses(false, servers).lookUp('localhost', notAborted)).toEqual([]);
    expect(system).not.toHaveBeenCalled();
  });

  it('also returns what the system resolver knows, if internal hosts may be meant', async () => {
    const found = await new HostAddresses(true, servers).lookUp('localhost', notAborted);
    expect(found.some((address) => address === '127.0.0.1' || address === '::1')).toBe(true);
    expect(await new HostAddresses(true, servers).lookUp('nowhere.invalid', notAborted)).toEqual([]);
  });

  it.each([false, true])('stops waiting when the signal aborts; internal hosts: %s', async (asksSystemToo) => {
    const hosts = new HostAddresses(asksSystemToo, servers);
    for (const signal of [AbortSignal.timeout(20), AbortSignal.abort()]) {
      await expect(hosts.lookUp('silent.test', signal)).rejects.toThrow();
    }
    // The first one asked for both families; nothing was asked again.
    expect(queryCount).toBe(2);
  });

  it('stops waiting for a silent system resolver, and asks it only once for several calls', async () => {
    const system = jest.spyOn(dns, 'lookup').mockReturnValue(new Promise(() => undefined) as never);
    const hosts = new HostAddresses(true, servers);
    const endings = [new AbortController(), new AbortController()];
    const both = endings.map(({ signal }) => hosts.lookUp('intern', signal));
    while (queryCount < 4 || system.mock.calls.length === 0) await pause(5);
    for (const ending of endings) ending.abort();
    for (const one of both) await expect(one).rejects.toThrow();
    expect(system).toHaveBeenCalledTimes(1);
  });

  it('does not block other lookups, however many name servers are silent', async () => {
    const hosts = new HostAddresses(false, servers);
    const endings = Array.from({ length: 64 }, () => new AbortController());
    const silent = endings.map(({ signal }, n) => hosts.lookUp(`silent-${n}.test`, signal));
    expect((await dns.lookup('localhost')).address).toBeTruthy();
    for (const ending of endings) ending.abort();
    const ended = await Promise.allSettled(silent);
    expect(ended.every(({ status }) => status === 'rejected')).toBe(true);
  });
});

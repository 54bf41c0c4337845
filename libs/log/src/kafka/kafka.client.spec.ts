import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { settingsOf, type KafkaLogOptions } from './kafka.options';
import { SILENT_LOGGER } from '../log.lines';
import { KafkaClients } from './kafka.client';
import { KafkaLog } from './kafka.log';

const TLS_HANDSHAKE = 0x16;
const API_VERSIONS = 18;
const SASL_HANDSHAKE = 17;

interface Request {
  apiKey: number;
  correlationId: number;
  body: Buffer;
}

/** The header of a request of Kafka's protocol: length, key, version, correlation id, client id. */
function requestOf(bytes: Buffer): Request {
  return {
    apiKey: bytes.readInt16BE(4),
    correlationId: bytes.readInt32BE(8),
    body: bytes.subarray(14 + bytes.readInt16BE(12)),
  };
}

/** An answer without an error: the versions of the two calls that are made before anything else. */
function versions({ correlationId }: Request): Buffer {
  const calls = [SASL_HANDSHAKE, API_VERSIONS];
  const answer = Buffer.alloc(14 + 6 * calls.length);
  answer.writeInt32BE(answer.length - 4, 0);
  answer.writeInt32BE(correlationId, 4);
  answer.writeInt32BE(calls.length, 10);
  calls.forEach((call, index) => answer.writeInt16BE(call, 14 + 6 * index));
  return answer;
}

describe('connecting to the brokers', () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));
  // The driver goes on trying for some seconds, even after it was told to disconnect.
  const trying: Promise<void>[] = [];
  afterAll(() => Promise.all(trying));

  /** Connects a producer to a broker; resolves with the first bytes for which `answer` returns true. */
  async function asked(
    more: Partial<KafkaLogOptions>,
    answer: (bytes: Buffer, socket: Socket) => boolean,
  ): Promise<Buffer> {
    let tell!: (bytes: Buffer) => void;
    const told = new Promise<Buffer>((resolve) => (tell = resolve));
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        if (!answer(bytes, socket)) return;
        tell(bytes);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = settingsOf({
      brokers: [`127.0.0.1:${port}`],
      clientId: 'c',
      instance: 'i',
      retention: { days: 1, keepWhole: [] },
      ...more,
    });
    const producer = (await KafkaClients.load(settings)).producer();
    closers.push(() => server.close());
    trying.push(producer.connect().catch(() => undefined));
    const bytes = await told;
    await producer.disconnect().catch(() => undefined);
    return bytes;
  }

  it('begins with a TLS handshake when TLS is on, and with a Kafka request otherwise', async () => {
    expect((await asked({ tls: true }, () => true))[0]).toBe(TLS_HANDSHAKE);
    expect(requestOf(await asked({}, () => true)).apiKey).toBe(API_VERSIONS);
  });

  it('begins with another broker for each client', async () => {
    const asked: string[] = [];
    const addresses = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const sockets: Socket[] = [];
        const server = createServer((socket) => {
          sockets.push(socket.on('error', () => undefined).resume());
          asked.push(name);
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        closers.push(() => {
          server.close();
          for (const socket of sockets) socket.destroy();
        });
        return `127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
    const retention = { days: 1, keepWhole: [] };
    const clients = await KafkaClients.load(
      settingsOf({ brokers: addresses, clientId: 'c', instance: 'i', retention }),
    );
    for (const count of [1, 2, 3]) {
      const admin = clients.admin();
      trying.push(admin.connect().catch(() => undefined));
      closers.push(() => void admin.disconnect());
      while (asked.length < count) await turn();
    }
    expect(asked).toEqual(['one', 'two', 'one']);
  });

  it.each([
    ['plain', 'PLAIN'],
    ['scram-sha-256', 'SCRAM-SHA-256'],
    ['scram-sha-512', 'SCRAM-SHA-512'],
  ] as const)('sends the SASL mechanism %s, and no password before the broker agrees', async (mechanism, name) => {
    const sasl = { mechanism, username: 'lettermill', password: 'a secret' };
    const bytes = await asked({ sasl }, (heard, socket) => {
      const request = requestOf(heard);
      if (request.apiKey === API_VERSIONS) socket.write(versions(request));
      return request.apiKey === SASL_HANDSHAKE;
    });
    expect(requestOf(bytes).body.toString('latin1')).toContain(name);
    expect(bytes.toString('latin1')).not.toContain('secret');
  });

  it('logs why a connection could not be made', async () => {
    const server = createServer(
      (socket) => void socket.on('error', () => undefined).end('no TLS is spoken here'),
    ).listen(0);
    await once(server, 'listening');
    closers.push(() => server.close());
    const brokers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
    const options = { brokers, clientId: 'c', instance: 'i', retention: { days: 1, keepWhole: [] }, topics: ['t'] };
    // The first line is enough, so the test does not wait for the next try.
    const warn = (fields: object) => {
      throw Object.assign(new Error('told'), fields);
    };
    const opening = KafkaLog.open({ ...options, tls: true, logger: { ...SILENT_LOGGER, warn } });
    await expect(opening).rejects.toMatchObject({ code: 'no_connection', detail: expect.stringMatching(/SSL/) });
  });

  it('logs an error answer once, with its reason and without its content', async () => {
    const lines: object[] = [];
    const warn = (fields: object, message: string) => void lines.push({ ...fields, message });
    const options = { brokers: ['127.0.0.1:1'], clientId: 'c', instance: 'i', retention: { days: 1, keepWhole: [] } };
    const settings = settingsOf({ ...options, topics: ['t'], logger: { ...SILENT_LOGGER, warn } });
    const logger = (await KafkaClients.load(settings)).client('x').logger().namespace('Connection');
    for (const error of ['The coordinator is loading', 'The coordinator is loading', 'Not the leader'])
      logger.error('Response OffsetFetch', { error, correlationId: 7, payload: 'ada@example.com' });
    const line = { source: 'kafkajs', part: 'Connection', correlationId: 7, message: 'Response OffsetFetch' };
    expect(lines).toEqual([
      { ...line, detail: 'The coordinator is loading' },
      { ...line, detail: 'Not the leader' },
    ]);
  });
});

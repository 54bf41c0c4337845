import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SILENT_LOGGER } from '../log.lines';
import { LogUnavailable } from '../log.port';
import { KafkaLog } from './kafka.log';
import type { KafkaLogOptions, KafkaSasl } from './kafka.options';
import { RightRefused, whyNotReady } from './not.ready';

const sasl: KafkaSasl = { mechanism: 'plain', username: 'lettermill', password: 'a secret' };
const faultOfType = (type: string) => new LogUnavailable('', { cause: { cause: { type } } });

/** The first line that is logged about a broker that closes the connection as soon as it receives anything. */
async function openingLine(more: Partial<KafkaLogOptions>): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => undefined).on('data', () => socket.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const brokers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
  const options = { brokers, clientId: 'c', instance: 'i', retention: { days: 1, keepWhole: [] }, topics: ['t'] };
  // The first line is enough, so the test does not wait for the next try.
  const warn = (_: object, message: string) => {
    throw new Error(message);
  };
  const opening = KafkaLog.open({ ...options, ...more, logger: { ...SILENT_LOGGER, warn } });
  const line = await opening.catch((error: Error) => error.message);
  server.close();
  return line as string;
}

describe('brokers that are not ready', () => {
  it('are logged with the settings that the port may need', async () => {
    const all = [{}, { sasl }, { tls: true }, { tls: true, sasl }];
    expect(await Promise.all(all.map(openingLine))).toEqual([
      'the brokers are not ready: does this port want TLS (KAFKA_TLS) or a login (KAFKA_SASL_MECHANISM)?; trying again',
      'the brokers are not ready: does this port want TLS (KAFKA_TLS)?; trying again',
      'the brokers are not ready: does this port speak TLS? KAFKA_TLS is on; trying again',
      'the brokers are not ready: does this port speak TLS? KAFKA_TLS is on; trying again',
    ]);
  }, 30_000);

  it('may need a login after the TLS handshake', () => {
    const closed = new LogUnavailable('', { cause: { name: 'KafkaJSConnectionClosedError' } });
    expect(whyNotReady(closed, { tls: true })).toBe(': does this port want a login (KAFKA_SASL_MECHANISM)?');
    expect(whyNotReady(closed, { tls: true, sasl })).toBe('');
  });

  it.each([
    ['INVALID_REPLICATION_FACTOR', 'KAFKA_REPLICATION'],
    ['ILLEGAL_SASL_STATE', 'takes no login'],
    ['UNSUPPORTED_SASL_MECHANISM', 'KAFKA_SASL_MECHANISM'],
  ])('are logged with the cause of %s', (type, said) => {
    expect(whyNotReady(faultOfType(type), { tls: false, sasl })).toContain(said);
  });

  it('are logged with the right that they refuse', () => {
    const why = whyNotReady(new RightRefused('Create', ['shop-t', 'shop-u'], new Error('no')), { tls: false });
    expect(why).toContain('Create on shop-t, shop-u: docs/operating.md');
  });

  it('are logged without a cause when none is known', () => {
    expect(whyNotReady(faultOfType('COORDINATOR_LOAD_IN_PROGRESS'), { tls: false })).toBe('');
    const refused = new LogUnavailable('', { cause: { name: 'KafkaJSConnectionError', code: 'ECONNREFUSED' } });
    expect(whyNotReady(refused, { tls: true, sasl })).toBe('');
  });
});

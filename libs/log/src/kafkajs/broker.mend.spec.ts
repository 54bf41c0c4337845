import Broker from 'kafkajs/src/broker/index.js';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import { mendBroker } from './broker.mend';

const quiet = { namespace: () => quiet, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const timeout = () => Object.assign(new Error('timed out'), { name: 'KafkaJSRequestTimeoutError', retriable: true });

beforeAll(() => {
  mendBroker(Broker.prototype);
  mendBroker(Broker.prototype);
});

/** Connections to brokers in turn, of which each asked one answers as `answers` says. */
function poolOver(answers: Record<string, () => Promise<unknown>>) {
  const asked: string[] = [];
  const hosts = Object.keys(answers);
  const build = () => {
    const host = hosts[builds++ % hosts.length]!;
    const connection = { getSupportAuthenticationProtocol: () => true, authenticate: () => Promise.resolve() };
    const getConnection = async () => {
      asked.push(host);
      await answers[host]!();
      return connection;
    };
    const versions = { setVersions: () => {}, isConnected: () => false, destroy: () => Promise.resolve() };
    return Promise.resolve({ host, port: 9092, getConnection, ...versions });
  };
  let builds = 0;
  const pool = new BrokerPool({
    connectionPoolBuilder: { build },
    logger: quiet,
    retry: { retries: 3, initialRetryTime: 1 },
  });
  jest.spyOn(Broker.prototype, 'apiVersions').mockResolvedValue({});
  return { pool, asked };
}

afterEach(() => jest.restoreAllMocks());

describe('a client whose first broker takes connections and says nothing', () => {
  it('asks the next one', async () => {
    const { pool, asked } = poolOver({ silent: () => Promise.reject(timeout()), good: () => Promise.resolve() });
    await pool.connect();
    expect(asked).toEqual(['silent', 'good']);
  });

  it('stays with one that says what is wrong', async () => {
    const loading = Object.assign(new Error('loading'), { name: 'KafkaJSProtocolError', retriable: true });
    const { pool, asked } = poolOver({ loading: () => Promise.reject(loading), good: () => Promise.resolve() });
    await expect(pool.connect()).rejects.toThrow('loading');
    expect(new Set(asked)).toEqual(new Set(['loading']));
  });
});

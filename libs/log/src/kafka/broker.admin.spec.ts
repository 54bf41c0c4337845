import type { Admin } from 'kafkajs';
import { LogUnavailable } from '../log.port';
import { BrokerAdmin } from './broker.admin';

/** A connection to the brokers that answers, or never does. */
function connection(answers: boolean): Admin {
  return {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    describeCluster: () => (answers ? Promise.resolve({}) : new Promise(() => {})),
  } as unknown as Admin;
}

describe('a check of the brokers', () => {
  it('uses a new connection after one that did not answer in time', async () => {
    const connections = [connection(false), connection(true)];
    const admin = new BrokerAdmin(() => connections.shift()!);
    await expect(admin.check(20)).rejects.toBeInstanceOf(LogUnavailable);
    await admin.check(20_000);
    expect(connections).toEqual([]);
  });

  it('asks again over the same connection while there is no answer: another broker may give one', async () => {
    let asked = 0;
    let made = 0;
    const describeCluster = () => ((asked += 1) > 2 ? Promise.resolve({}) : new Promise(() => {}));
    const admin = new BrokerAdmin(() => ((made += 1), { ...connection(true), describeCluster } as unknown as Admin));
    await admin.check(20_000);
    expect([asked, made]).toEqual([3, 1]);
  });

  it('goes on over another connection if the first one is not established', async () => {
    const connections = [{ ...connection(true), connect: () => new Promise(() => {}) }, connection(true)];
    const admin = new BrokerAdmin(() => connections.shift() as Admin);
    await admin.check(20_000);
    expect(connections).toEqual([]);
  });

  it('asks a few times only, and twice if it is answered by errors', async () => {
    jest.useFakeTimers();
    try {
      let asked = 0;
      const silent = { ...connection(true), describeCluster: () => ((asked += 1), new Promise(() => {})) };
      const check = new BrokerAdmin(() => silent as unknown as Admin).check(20_000);
      const refused = expect(check).rejects.toThrow('the brokers do not answer');
      await jest.advanceTimersByTimeAsync(20_000);
      await refused;
      expect(asked).toBe(13);
      const failing = { ...connection(true), describeCluster: () => ((asked += 1), Promise.reject(new Error('no'))) };
      await expect(new BrokerAdmin(() => failing as unknown as Admin).check(20_000)).rejects.toThrow('did not answer');
      await jest.advanceTimersByTimeAsync(20_000);
      expect(asked).toBe(15);
    } finally {
      jest.useRealTimers();
    }
  });

  it('asks once more over another connection after one that failed, as only its broker may be away', async () => {
    const closed = { ...connection(true), describeCluster: () => Promise.reject(new Error('closed')) };
    const connections = [closed as unknown as Admin, connection(true)];
    const admin = new BrokerAdmin(() => connections.shift()!);
    await admin.check(20_000);
    expect(connections).toEqual([]);
  });

  it('opens no connection once it is closed, also for a question that it would repeat: nobody would close it', async () => {
    let made = 0;
    const admin = new BrokerAdmin(() => ((made += 1), connection(false)));
    const asked = admin.check(2_000);
    await admin.close();
    await expect(asked).rejects.toBeInstanceOf(LogUnavailable);
    await expect(admin.check(2_000)).rejects.toBeInstanceOf(LogUnavailable);
    expect(made).toBe(1);
  });

  it('reuses a connection that answers', async () => {
    let made = 0;
    const admin = new BrokerAdmin(() => connection((made += 1) > 0));
    await admin.check(20_000);
    await admin.check(20_000);
    expect(made).toBe(1);
  });
});

describe('a query for topics', () => {
  it('reports which topics the brokers do not allow it to see', async () => {
    const refused = Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
    const fetchTopicMetadata = ({ topics }: { topics: string[] }) =>
      topics.includes('hidden') ? Promise.reject(refused) : Promise.resolve({});
    const admin = new BrokerAdmin(() => ({ ...connection(true), fetchTopicMetadata }) as unknown as Admin);
    await expect(admin.missing(['seen', 'hidden'], 20_000)).rejects.toThrow('the right Describe on hidden:');
    await expect(admin.missing(['seen'], 20_000)).resolves.toEqual([]);
  });
});

describe('a connection on which a request failed', () => {
  it.each(['GROUP_LOAD_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP', 'GROUP_COORDINATOR_NOT_AVAILABLE'])(
    'is kept if the brokers answered %s, as the next question looks for the coordinator anew',
    async (type) => {
      let made = 0;
      const fetchOffsets = () => Promise.reject(Object.assign(new Error('later'), { type }));
      const admin = new BrokerAdmin(() => ((made += 1), { ...connection(true), fetchOffsets } as unknown as Admin));
      await expect(admin.committed('g', 't')).rejects.toThrow(type);
      await admin.check(20_000);
      expect(made).toBe(1);
    },
  );

  it('is replaced if the brokers answered that the leader is another one, as the driver does not look for it', async () => {
    let made = 0;
    const refused = Object.assign(new Error('elsewhere'), { type: 'NOT_LEADER_FOR_PARTITION' });
    const fetchTopicOffsets = () => Promise.reject(refused);
    const admin = new BrokerAdmin(() => ((made += 1), { ...connection(true), fetchTopicOffsets } as unknown as Admin));
    await expect(admin.extents('t')).rejects.toThrow('NOT_LEADER_FOR_PARTITION');
    await admin.check(20_000);
    expect(made).toBe(2);
  });

  it('is closed once its other requests have ended', async () => {
    let left = 0;
    const answers: { resolve(answer: object): void; reject(error: Error): void }[] = [];
    const asked = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
    const only = { ...connection(true), describeCluster: asked, disconnect: () => Promise.resolve(void (left += 1)) };
    const admin = new BrokerAdmin(() => only as unknown as Admin);
    const ask = () => admin.ask((one) => one.describeCluster());
    const questions = [ask(), ask()];
    await new Promise(setImmediate);
    answers[0]!.reject(new Error('closed'));
    await expect(questions[0]).rejects.toBeInstanceOf(LogUnavailable);
    expect(left).toBe(0);
    answers[1]!.resolve({});
    await questions[1];
    await new Promise(setImmediate);
    expect(left).toBe(1);
  });
});

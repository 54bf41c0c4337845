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
  it('goes over another connection after one that had no answer in time', async () => {
    const connections = [connection(false), connection(true)];
    const admin = new BrokerAdmin(() => connections.shift()!);
    await expect(admin.check(20)).rejects.toBeInstanceOf(LogUnavailable);
    await admin.check(20_000);
    expect(connections).toEqual([]);
  });

  it('stays with the connection that answers', async () => {
    let made = 0;
    const admin = new BrokerAdmin(() => connection((made += 1) > 0));
    await admin.check(20_000);
    await admin.check(20_000);
    expect(made).toBe(1);
  });
});

describe('a question for topics', () => {
  it('tells which of them the brokers do not let us see', async () => {
    const refused = Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
    const fetchTopicMetadata = ({ topics }: { topics: string[] }) =>
      topics.includes('hidden') ? Promise.reject(refused) : Promise.resolve({});
    const admin = new BrokerAdmin(() => ({ ...connection(true), fetchTopicMetadata }) as unknown as Admin);
    await expect(admin.missing(['seen', 'hidden'], 20_000)).rejects.toThrow('the right Describe on hidden:');
    await expect(admin.missing(['seen'], 20_000)).resolves.toEqual([]);
  });
});

describe('a connection over which a question had no answer', () => {
  it('is left once the others that were asked over it have one', async () => {
    let left = 0;
    const answers: { resolve(answer: object): void; reject(error: Error): void }[] = [];
    const asked = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
    const only = { ...connection(true), describeCluster: asked, disconnect: () => Promise.resolve(void (left += 1)) };
    const admin = new BrokerAdmin(() => only as unknown as Admin);
    const questions = [admin.check(20_000), admin.check(20_000)];
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

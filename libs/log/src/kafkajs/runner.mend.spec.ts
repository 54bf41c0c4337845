import Runner, { type InnerRunner } from 'kafkajs/src/consumer/runner.js';
import { mendRunner } from './runner.mend';

const MAX_POLLS = 1_000;
const nothing = () => undefined;

/** A group whose brokers can change, and whose fetches are answered when the test says so. */
class Group {
  nodes = [1, 2];
  left = false;
  private readonly waiting = new Map<number, () => void>();

  getNodeIds = () => this.nodes;
  heartbeat = (): Promise<void> => Promise.resolve();
  joinAndSync = (): Promise<void> => Promise.resolve();
  leave = () => Promise.resolve(void (this.left = true));
  fetch = (node: number) => new Promise<[]>((resolve) => this.waiting.set(node, () => resolve([])));

  async answer(node: number): Promise<void> {
    this.waiting.get(node)!();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

function running(
  group: Group,
  { debug = nothing as (line: string) => void, onCrash = nothing as (error: Error) => void },
): InnerRunner {
  const logger = { namespace: () => logger, debug, info: nothing, warn: nothing, error: nothing };
  const runner: InnerRunner = new Runner({
    logger,
    consumerGroup: group,
    concurrency: 1,
    onCrash,
    retry: { initialRetryTime: 1, maxRetryTime: 1, retries: 100 },
    instrumentationEmitter: { emit: nothing },
  });
  mendRunner(Runner.prototype);
  mendRunner(Runner.prototype);
  runner.running = true;
  runner.scheduleFetchManager();
  return runner;
}

describe('a consumer of kafkajs that is stopped', () => {
  it('stops its fetchers, including those restarted at that moment', async () => {
    let asked = 0;
    const debug = (line: string) => {
      // In an endless loop nothing else in this process would get its turn.
      if (line.startsWith('consumer not running') && (asked += 1) > MAX_POLLS) throw new Error('asked for ever');
    };
    const group = new Group();
    const runner = running(group, { debug });
    group.nodes = [1];
    // The first fetcher finds that a broker is gone, and waits for the other.
    await group.answer(1);
    const stopping = runner.stop();
    await group.answer(2);
    await stopping;
    expect(group.left).toBe(true);
    expect(asked).toBeLessThan(MAX_POLLS);
  });
});

describe('a consumer of kafkajs with nothing to read whose coordinator is away', () => {
  const away = () => Object.assign(new Error('connect ECONNREFUSED'), { name: 'KafkaJSConnectionError' });

  it('looks for the coordinator and joins again after three heartbeats that no broker answered', async () => {
    const group = new Group();
    group.nodes = [1];
    group.fetch = () => Promise.resolve([]);
    let beats = 0;
    group.heartbeat = () => Promise.reject(((beats += 1), away()));
    await new Promise<void>((joined) => {
      group.joinAndSync = () => {
        group.heartbeat = () => new Promise(nothing);
        joined();
        return Promise.resolve();
      };
      running(group, {});
    });
    expect(beats).toBe(3);
  });

  it('stays a member if one of them is answered, and counts one that several fetchers share as one', async () => {
    const group = new Group();
    group.fetch = () => Promise.resolve([]);
    let [beats, joins] = [0, 0];
    group.joinAndSync = () => Promise.resolve(void (joins += 1));
    await new Promise<void>((done) => {
      let shared: Promise<void> | undefined;
      group.heartbeat = () => {
        if (beats === 30) return (done(), new Promise(nothing));
        shared ??= new Promise((resolve, reject) => {
          setImmediate(() => {
            shared = undefined;
            beats += 1;
            if (beats % 3 === 0) resolve();
            else reject(away());
          });
        });
        return shared;
      };
      running(group, {});
    });
    expect(joins).toBe(0);
  });
});

describe('a consumer of kafkajs whose topic is gone', () => {
  it('ends, as it would go on at its old position once the topic is created again', async () => {
    const gone = Object.assign(new Error('gone'), { type: 'UNKNOWN_TOPIC_OR_PARTITION', retriable: true });
    const group = new Group();
    let asked = 0;
    group.fetch = () => Promise.reject(((asked += 1), gone));
    group.nodes = [1];
    const error = await new Promise<Error>((onCrash) => void running(group, { onCrash }));
    expect([error.cause, asked]).toEqual([gone, 1]);
  });
});

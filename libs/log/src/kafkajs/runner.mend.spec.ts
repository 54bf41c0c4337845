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
  heartbeat = () => Promise.resolve();
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
    retry: { initialRetryTime: 1 },
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

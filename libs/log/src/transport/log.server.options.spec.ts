import { EMPTY } from 'rxjs';
import { encodeEvent, TOPICS, type Event } from '@lettermill/events';
import type { EventLog, RecordBatch, SubscribeOptions } from '../log.port';
import { failedEvent, Lines } from '../testing/outcome.app';
import { LogServer } from './log.server';

const TOPIC = TOPICS.messageOutcome;

/** A service that reads one topic, on a log that records what it is asked for. */
function service() {
  const asked: SubscribeOptions[] = [];
  const waited: unknown[][] = [];
  const caughtUp = (...of: unknown[]) => Promise.resolve((waited.push(of), true));
  const log = {
    subscribe: (options: SubscribeOptions) => Promise.resolve((asked.push(options), { caughtUp })),
  } as unknown as EventLog;
  const lines = new Lines();
  const server = new LogServer({ log, group: 'g', logger: lines, maxRecords: 7, lingerMs: 20 });
  server.addHandler(TOPIC, () => Promise.resolve(EMPTY), true);
  const listen = () => new Promise((resolve) => server.listen(resolve));
  return { server, listen, asked, waited, lines };
}

describe('the log transport', () => {
  it('passes its limits to the log', async () => {
    const { listen, asked } = service();
    await listen();
    expect(asked).toMatchObject([{ group: 'g', topics: [TOPIC], maxRecords: 7, lingerMs: 20 }]);
  });

  it('is not caught up before it listens, and waits only for requested topics that it reads', async () => {
    const { server, listen, waited } = service();
    expect(await server.caughtUp([TOPIC], 9)).toBe(false);
    await listen();
    expect(await server.caughtUp([TOPIC, TOPICS.campaignLaunched], 9)).toBe(true);
    expect(waited).toEqual([[9, [TOPIC]]]);
  });

  it('takes a handler that emits nothing as done', async () => {
    const { listen, asked, lines } = service();
    await listen();
    const { topic, key, headers, value } = encodeEvent(failedEvent('1') as Event);
    const record = { topic, key, headers, value: Buffer.from(String(value)), partition: 0, position: 0, appendedAt: 0 };
    const batch = { topic: TOPIC, records: [record], heartbeat: () => Promise.resolve() };
    await asked[0]!.onBatch({ ...batch, stopping: false } as RecordBatch);
    expect(lines.lines).toEqual([]);
  });
});

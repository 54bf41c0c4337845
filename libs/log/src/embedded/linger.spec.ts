import { setImmediate as turn } from 'node:timers/promises';
import { Inbox, textRecord } from '../testing/inbox';
import { LogWorkspace } from '../testing/disk';
import type { Subscription } from '../log.port';

const TOPIC = 'topic';
/** Longer than any test may take. */
const NEVER_MS = 3_600_000;
const workshop = new LogWorkspace();
beforeEach(() => workshop.begin());
afterEach(() => workshop.end());

describe('a group that lingers', () => {
  const newInbox = () => new Inbox();
  /** A log with a subscription that is idle. */
  async function resting(lingerMs: number) {
    const log = await workshop.open({});
    const slow = newInbox();
    const subscription: Subscription = await log.subscribe({
      group: 'slow',
      topics: [TOPIC],
      lingerMs,
      onBatch: slow.take,
    });
    const quick = newInbox();
    await log.subscribe({ group: 'quick', topics: [TOPIC], onBatch: quick.take });
    await turn();
    /** Appends a record and waits until the other subscription has handled it. */
    const add = async (value: string, count: number) => {
      await log.append([textRecord(TOPIC, 'k', value)]);
      await quick.waitFor(count);
      await turn();
    };
    return { log, slow, subscription, add };
  }

  it('takes all records that arrive while it lingers as one batch', async () => {
    const { slow, subscription, add } = await resting(NEVER_MS);
    await add('a', 1);
    await add('b', 2);
    expect(slow.batches).toHaveLength(0);
    expect(await subscription.caughtUp(NEVER_MS)).toBe(true);
    expect(slow.batches.map(({ records }) => records.map(({ value }) => String(value)))).toEqual([['a', 'b']]);
  });

  it('lingers no longer than configured', async () => {
    const { slow, add } = await resting(5);
    await add('a', 1);
    expect(await slow.waitFor(1)).toEqual(['a']);
  });

  it('does not linger while a caller waits for it to catch up', async () => {
    const { slow, subscription, add } = await resting(NEVER_MS);
    await add('a', 1);
    await subscription.caughtUp(NEVER_MS);
    await add('b', 2);
    expect(slow.values).toEqual(['a']);
    const twice = [subscription.caughtUp(NEVER_MS), subscription.caughtUp(NEVER_MS)];
    expect(await Promise.all(twice)).toEqual([true, true]);
    expect(slow.values).toEqual(['a', 'b']);
  });

  it('ends at once when it is closed, and goes on there the next time', async () => {
    const { log, slow, subscription, add } = await resting(NEVER_MS);
    await add('a', 1);
    await subscription.close();
    expect(slow.values).toEqual([]);
    expect(await subscription.caughtUp(NEVER_MS)).toBe(false);
    await log.subscribe({ group: 'slow', topics: [TOPIC], onBatch: slow.take });
    expect(await slow.waitFor(1)).toEqual(['a']);
  });
});

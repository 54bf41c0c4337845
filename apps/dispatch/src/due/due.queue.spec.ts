import { newId } from '@lettermill/events';
import type { DueDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { Due, domainsOf, START } from '../testing/due';
import { type Admitted } from './due.queue';
import { MAX_WINDOW_AGE_MS } from './due.window';
import { Room } from './room';

describe('DueQueue', () => {
  let due: Due;
  beforeEach(async () => (due = await Due.open()));
  afterEach(() => due.close());

  it('frees the places of admitted deliveries if a later read fails', async () => {
    await due.fill(2, 'example.com');
    const queue = due.queue();
    const reading = due.store.due.bind(due.store);
    const away = new Error('away');
    jest
      .spyOn(due.store, 'due')
      .mockImplementationOnce(async (...given) => {
        const found = await reading(...given);
        queue.noteInserted(1);
        return found;
      })
      .mockRejectedValueOnce(away);
    await expect(queue.take(new Room(10))).rejects.toBe(away);
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['example.com', 'example.com']);
  });

  it.each([
    ['slow', 2 * MAX_WINDOW_AGE_MS, false],
    ['out of date when it ends', MAX_WINDOW_AGE_MS / 4, true],
  ])('hands out what it admitted although every read is %s', async (_what, ms, outdated) => {
    await due.fill(3, 'example.com');
    const queue = due.queue();
    const reading = due.store.due.bind(due.store);
    const looks = jest.spyOn(due.store, 'due').mockImplementation(async (...given) => {
      if (looks.mock.calls.length > 5) throw new Error('it reads on and on');
      const found = await reading(...given);
      due.now += ms;
      if (outdated) queue.noteInserted(1);
      return found;
    });
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['example.com', 'example.com']);
  });

  it('tells since when the first delivery is due', async () => {
    const queue = due.queue();
    expect(await queue.overdueMs()).toBe(0);
    await due.fill(1, 'example.com', { dueAt: START - 4_000 });
    expect(await queue.overdueMs()).toBe(4_000);
    await queue.take(new Room(10));
  });

  it('finds at once what was inserted during a read', async () => {
    const queue = due.queue();
    const reading = due.store.due.bind(due.store);
    jest.spyOn(due.store, 'due').mockImplementationOnce(async (...given) => {
      const found = await reading(...given);
      await due.fill(1, 'example.com');
      queue.noteInserted(1);
      return found;
    });
    expect(await queue.take(new Room(10))).toEqual([]);
    await queue.untilNext();
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['example.com']);
  });

  it('serves high priority first if it was inserted during a read', async () => {
    await due.fill(20, (n) => `${n}.org`);
    const queue = due.queue();
    const reading = due.store.due.bind(due.store);
    jest.spyOn(due.store, 'due').mockImplementationOnce(async (...given) => {
      const found = await reading(...given);
      await due.fill(1, 'code.org', { priority: 0 });
      queue.noteInserted(0);
      return found;
    });
    await queue.take(new Room(1));
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['code.org']);
  });

  it('admits new high-priority deliveries ahead of waiting ones, each only once', async () => {
    await due.fill(2, 'code.org', { priority: 0 });
    await due.fill(2, 'bulk.org');
    const queue = due.queue();
    await queue.findLanes();
    const code = (n: number) => ({
      accountId: 'default',
      messageId: `code.org/${n}`,
      priority: 0 as const,
      domain: 'code.org',
      dueAt: START,
    });
    const hurried = queue.admit([code(0), code(1)], new Room(0, 1));
    expect(hurried).toEqual([expect.objectContaining({ messageId: 'code.org/0', enteredAt: due.now })]);
    expect((await queue.take(new Room(10))).map(({ messageId }) => messageId)).toEqual([
      'code.org/1',
      'bulk.org/0',
      'bulk.org/1',
    ]);
    expect(queue.admit([code(1)], new Room(0, 1))).toEqual([]);
    queue.leave(hurried[0]!, 'cut short');
    queue.markStale();
    expect((await queue.take(new Room(10))).map(({ messageId }) => messageId)).toEqual(['code.org/0']);
  });

  it('admits other new deliveries at once only while nothing waits before them', async () => {
    const one = (n: number, priority: PriorityRank): DueDelivery => ({
      accountId: 'default',
      messageId: `new.org/${n}`,
      priority,
      domain: `new${n}.org`,
      dueAt: START,
    });
    const idsOf = (admitted: Admitted[]) => admitted.map(({ messageId }) => messageId);
    const queue = due.queue();
    expect(queue.admit([one(1, 1)], new Room(5, 2))).toEqual([]);
    await queue.take(new Room(5, 2));
    await queue.untilNext();
    due.now += 60_000;
    expect(idsOf(queue.admit([one(1, 1), one(2, 0), one(3, 0), one(4, 0), one(5, 2)], new Room(2, 1)))).toEqual([
      'new.org/2',
      'new.org/3',
      'new.org/4',
    ]);
    expect(idsOf(queue.admit([one(1, 1), one(5, 2)], new Room(2)))).toEqual(['new.org/1', 'new.org/5']);
    queue.putOff({ ...one(6, 1), enteredAt: due.now, aside: false }, due.now + 10);
    expect(idsOf(queue.admit([one(6, 1)], new Room(2)))).toEqual(['new.org/6']);
    due.now += 10;
    expect(queue.admit([one(7, 1)], new Room(2))).toEqual([]);
    await queue.untilNext();
    queue.noteInserted(1);
    expect(queue.admit([one(8, 1)], new Room(2))).toEqual([]);
  });

  it('puts thousands of deliveries to one domain aside in a few steps', async () => {
    await due.fill(4_000, 'dead.org', { dueAt: START - 10 });
    await due.fill(10, 'alive.org');
    const queue = due.queue();
    const putAside = jest.spyOn(due.store, 'putAside');
    expect(domainsOf(await queue.take(new Room(10))).filter((domain) => domain === 'alive.org')).toHaveLength(2);
    expect(putAside.mock.calls.length).toBeLessThanOrEqual(5);
  });

  it('gives other domains all the room behind thousands of deliveries to a stuck domain, which are read once', async () => {
    await due.fill(2_000, 'dead.org', { dueAt: START - 10 });
    await due.fill(300, 'alive.org');
    const queue = due.queue();
    await queue.findLanes();
    const stuck = await queue.take(new Room(10));
    expect(new Set(domainsOf(stuck.filter(({ domain }) => domain !== 'alive.org')))).toEqual(new Set(['dead.org']));
    await due.store.claim(stuck, { owner: 'a', now: due.now, until: due.now + 60_000 });
    for (const one of stuck) if (one.domain === 'alive.org') queue.leave(one, 'by itself');
    let sent = stuck.filter(({ domain }) => domain === 'alive.org').length;
    const reading = due.store.due.bind(due.store);
    let overDead = 0;
    jest.spyOn(due.store, 'due').mockImplementation(async (limit, at, lane) => {
      const found = await reading(limit, at, lane);
      if (lane === '') overDead += found.filter(({ domain }) => domain === 'dead.org').length;
      return found;
    });
    for (let rounds = 0; sent < 300 && rounds < 200; rounds += 1) {
      const admitted = await queue.take(new Room(8));
      expect(domainsOf(admitted)).not.toContain('dead.org');
      sent += admitted.length;
      await due.send(queue, admitted);
    }
    expect(sent).toBe(300);
    expect(overDead).toBeLessThanOrEqual(2_000);
    expect(await due.store.lanes()).toEqual(['dead.org']);
    expect(queue.stuckCount()).toBe(0);
    due.now += 2_000;
    expect(queue.stuckCount()).toBe(2);
  });

  it('reads larger batches of a long queue, and a small one again after a high-priority insert', async () => {
    await due.fill(3_000, (n) => `${n}.example.com`);
    const queue = due.queue();
    const read: number[] = [];
    const reading = due.store.due.bind(due.store);
    jest.spyOn(due.store, 'due').mockImplementation((limit, ...given) => {
      read.push(limit);
      return reading(limit, ...given);
    });
    for (let sent = 0; sent < 2_400; sent += 100) await due.send(queue, await queue.take(new Room(100)));
    expect(read).toEqual([256, 512, 1_024, 1_024]);
    await due.fill(1, 'example.net', { priority: 0 });
    queue.noteInserted(0);
    expect((await queue.take(new Room(1))).map(({ priority }) => priority)).toEqual([0]);
    expect(read.at(-1)).toBe(256);
  });

  it('reads once to find all that is due, and not again while there is nothing new', async () => {
    await due.fill(1, 'one.org');
    const queue = due.queue();
    const reading = jest.spyOn(due.store, 'due');
    const nextDue = jest.spyOn(due.store, 'nextDue');
    await due.send(queue, await queue.take(new Room(5)));
    expect(await queue.take(new Room(5))).toEqual([]);
    expect(reading).toHaveBeenCalledTimes(1);
    expect(await queue.untilNext()).toBeUndefined();
    const asked = () => reading.mock.calls.length + nextDue.mock.calls.length;
    const before = asked();
    for (let i = 0; i < 10; i += 1) {
      expect(await queue.take(new Room(5))).toEqual([]);
      expect(await queue.untilNext()).toBeGreaterThan(0);
    }
    expect(asked()).toBe(before);
    await due.fill(1, 'two.org');
    queue.noteInserted(1);
    expect(domainsOf(await queue.take(new Room(5)))).toEqual(['two.org']);
  });

  it('notices what was put off, and what became due during a read', async () => {
    await due.fill(1, 'soon.org', { dueAt: START + 500 });
    const queue = due.queue();
    expect(await queue.take(new Room(5))).toEqual([]);
    due.now = START + 500;
    expect(await queue.untilNext()).toBe(0);
    queue.markStale();
    const soon = await queue.take(new Room(5));
    await due.send(queue, soon);
    expect(await queue.take(new Room(5))).toEqual([]);
    await queue.untilNext();
    await due.fill(1, 'later.org', { dueAt: due.now + 300 });
    queue.putOff(soon[0]!, due.now + 300);
    expect(await queue.take(new Room(5))).toEqual([]);
    expect(await queue.untilNext()).toBe(300);
    due.now += 300;
    const later = await queue.take(new Room(5));
    expect(domainsOf(later)).toEqual(['later.org']);
    await due.send(queue, later);
    expect(await queue.take(new Room(5))).toEqual([]);
    expect(await queue.untilNext()).toBeUndefined();
  });

  it('reads from another place once after lost claims', async () => {
    await due.fill(1_000, (n) => `${String(n).padStart(4, '0')}.example.com`);
    const queue = due.queue();
    const begin = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const first = await queue.take(new Room(1));
    expect(domainsOf(first)).toEqual(['0000.example.com']);
    queue.noteContended(first);
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['0128.example.com']);
    begin.mockRestore();
  });

  it('gives high priority its reserved room', async () => {
    await due.fill(300, 'bulk.org', { priority: 2 });
    const queue = due.queue();
    const busy = await queue.take(new Room(2));
    expect(await queue.take(new Room(0, 2))).toEqual([]);
    await due.fill(2, 'code.org', { priority: 0 });
    queue.noteInserted(0);
    expect(domainsOf(await queue.take(new Room(0, 2)))).toEqual(['code.org', 'code.org']);
    expect(domainsOf(busy)).toEqual(['bulk.org', 'bulk.org']);
  });

  it('admits nothing while the hop rate is zero, not even high priority, and puts nothing aside', async () => {
    await due.fill(300, 'a.org');
    await due.fill(2, 'code.org', { priority: 0 });
    const queue = due.queue({ hopRate: 0 });
    for (let hours = 0; hours < 3; hours += 1) {
      expect(await queue.take(new Room(10, 2))).toEqual([]);
      expect(await queue.untilNext()).toBeUndefined();
      due.now += 3_600_000;
      queue.markStale();
    }
    expect(await due.store.lanes()).toEqual([]);
  });

  it('keeps to the rate of a domain, and reports when it may go on', async () => {
    await due.fill(10, 'a.org');
    await due.fill(10, 'b.org', { dueAt: START + 60_000 });
    const queue = due.queue({ domainRates: new Map([['a.org', 2]]) });
    const admitted = await queue.take(new Room(10));
    expect(admitted).toHaveLength(2);
    await due.send(queue, admitted, 1);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(499);
  });

  it('adapts when the clock is set back at run time', async () => {
    const recall = jest.spyOn(due.store, 'recall');
    const queue = due.queue();
    await queue.followClock();
    due.now += 1;
    await queue.followClock();
    // What the clock was before this process started is unknown.
    expect(recall).toHaveBeenCalledTimes(1);
    await due.fill(1, 'a.org', { messageId: newId(START) });
    due.now -= 3_600_000;
    expect(await queue.take(new Room(10))).toEqual([]);
    await queue.untilNext();
    await queue.followClock();
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['a.org']);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@lettermill/events';
import type { Config } from '@lettermill/runtime';
import { SqlDatabase } from '@lettermill/storage';
import { LibsqlDeliveryStore } from '../deliveries/deliveries.store.libsql';
import type { DueDelivery, NewDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { DueQueue, type Admitted } from './due.queue';
import { Room } from './room';

const START = 1_800_000_000_000;

describe('DueQueue', () => {
  const directory = mkdtempSync(join(tmpdir(), 'due-'));
  let files = 0;
  let database: SqlDatabase;
  let store: LibsqlDeliveryStore;
  let now = START;

  beforeEach(async () => {
    now = START;
    database = new SqlDatabase(join(directory, `${(files += 1)}.db`));
    store = new LibsqlDeliveryStore(database);
    await store.migrate();
  });
  afterEach(() => database.close());
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const queueOf = (sending: Partial<Config['sending']> = {}): DueQueue => {
    const limits = { connections: 10, hopRate: null, domainRates: new Map(), domainConcurrency: new Map() };
    return new DueQueue(store, { sending: { ...limits, ...sending }, retryDelays: [60] } as Config, () => now);
  };
  const fill = (count: number, domain: string | ((n: number) => string), over: Partial<NewDelivery> = {}, mark = '') =>
    store.insert(
      Array.from({ length: count }, (_, n) => ({ n, domain: typeof domain === 'string' ? domain : domain(n) })).map(
        ({ n, domain }) => ({
          ...{ accountId: 'default', messageId: `${domain}/${mark}${n}`, domain, recipients: [], content: '{}' },
          ...{ priority: 1 as PriorityRank, dueAt: START, ...over },
        }),
      ),
    );
  /** Claims and sends, each within that time. */
  const send = async (queue: DueQueue, admitted: Admitted[], ms = 5) => {
    await store.claim(admitted, { owner: 'a', now, until: now + 60_000 });
    now += ms;
    for (const one of admitted) queue.leave(one, 'by itself');
  };
  const domainsOf = (admitted: Admitted[]) => admitted.map(({ domain }) => domain);

  it('keeps no place for those that nobody got, since the store went away meanwhile', async () => {
    await fill(2, 'example.com');
    const queue = queueOf();
    const due = store.due.bind(store);
    let looks = 0;
    const away = new Error('away');
    jest
      .spyOn(store, 'due')
      .mockImplementation((...given) => ((looks += 1) === 2 ? Promise.reject(away) : due(...given)));
    await expect(queue.take(new Room(10))).rejects.toBe(away);
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['example.com', 'example.com']);
  });

  it('admits what has just come in ahead of what waits, and gives it to nobody else', async () => {
    await fill(2, 'code.org', { priority: 0 });
    await fill(2, 'bulk.org');
    const queue = queueOf();
    await queue.findLanes();
    const code = (n: number) => ({
      accountId: 'default',
      messageId: `code.org/${n}`,
      priority: 0 as const,
      domain: 'code.org',
    });
    const hurried = queue.admit([code(0), code(1)], new Room(0, 1));
    expect(hurried).toEqual([expect.objectContaining({ messageId: 'code.org/0', enteredAt: now })]);
    expect((await queue.take(new Room(10))).map(({ messageId }) => messageId)).toEqual([
      ...['code.org/1', 'bulk.org/0', 'bulk.org/1'],
    ]);
    expect(queue.admit([code(1)], new Room(0, 1))).toEqual([]);
    queue.leave(hurried[0]!, 'cut short');
    queue.stale();
    expect((await queue.take(new Room(10))).map(({ messageId }) => messageId)).toEqual(['code.org/0']);
  });

  it('admits what is not urgent at once only while nothing came before it', async () => {
    const one = (n: number, priority: PriorityRank): DueDelivery => ({
      ...{ accountId: 'default', messageId: `new.org/${n}`, priority, domain: `new${n}.org` },
    });
    const idsOf = (admitted: Admitted[]) => admitted.map(({ messageId }) => messageId);
    const queue = queueOf();
    expect(queue.admit([one(1, 1)], new Room(5, 2))).toEqual([]);
    await queue.take(new Room(5, 2));
    await queue.untilNext();
    now += 60_000;
    expect(idsOf(queue.admit([one(1, 1), one(2, 0), one(3, 0), one(4, 0), one(5, 2)], new Room(2, 1)))).toEqual([
      ...['new.org/2', 'new.org/3', 'new.org/4'],
    ]);
    expect(idsOf(queue.admit([one(1, 1), one(5, 2)], new Room(2)))).toEqual(['new.org/1', 'new.org/5']);
    queue.putOff(now + 10);
    expect(idsOf(queue.admit([one(6, 1)], new Room(2)))).toEqual(['new.org/6']);
    now += 10;
    expect(queue.admit([one(7, 1)], new Room(2))).toEqual([]);
    await queue.untilNext();
    queue.inserted(1);
    expect(queue.admit([one(8, 1)], new Room(2))).toEqual([]);
  });

  it('puts thousands of a domain aside in a few steps', async () => {
    await fill(4_000, 'dead.org', { dueAt: START - 10 });
    await fill(10, 'alive.org');
    const queue = queueOf();
    const putAside = jest.spyOn(store, 'putAside');
    expect(domainsOf(await queue.take(new Room(10))).filter((domain) => domain === 'alive.org')).toHaveLength(2);
    expect(putAside.mock.calls.length).toBeLessThanOrEqual(5);
  });

  it('gives the others all the room behind thousands of a domain that answers nothing, and reads over them once', async () => {
    await fill(2_000, 'dead.org', { dueAt: START - 10 });
    await fill(300, 'alive.org');
    const queue = queueOf();
    await queue.findLanes();
    const stuck = await queue.take(new Room(10));
    expect(new Set(domainsOf(stuck.filter(({ domain }) => domain !== 'alive.org')))).toEqual(new Set(['dead.org']));
    await store.claim(stuck, { owner: 'a', now, until: now + 60_000 });
    for (const one of stuck) if (one.domain === 'alive.org') queue.leave(one, 'by itself');
    let sent = stuck.filter(({ domain }) => domain === 'alive.org').length;
    const due = store.due.bind(store);
    let overDead = 0;
    jest.spyOn(store, 'due').mockImplementation(async (limit, at, lane) => {
      const found = await due(limit, at, lane);
      if (lane === '') overDead += found.filter(({ domain }) => domain === 'dead.org').length;
      return found;
    });
    for (let rounds = 0; sent < 300 && rounds < 200; rounds += 1) {
      const admitted = await queue.take(new Room(8));
      expect(domainsOf(admitted)).not.toContain('dead.org');
      sent += admitted.length;
      await send(queue, admitted);
    }
    expect(sent).toBe(300);
    expect(overDead).toBeLessThanOrEqual(2_000);
    expect(await store.lanes()).toEqual(['dead.org']);
    expect(queue.stuck()).toBe(0);
    now += 2_000;
    expect(queue.stuck()).toBe(2);
  });

  it('reads more of a long queue at once, and little again after somebody in a hurry', async () => {
    await fill(3_000, (n) => `${n}.example.com`);
    const queue = queueOf();
    const read: number[] = [];
    const due = store.due.bind(store);
    jest.spyOn(store, 'due').mockImplementation((limit, ...given) => {
      read.push(limit);
      return due(limit, ...given);
    });
    for (let sent = 0; sent < 2_400; sent += 100) await send(queue, await queue.take(new Room(100)));
    expect(read).toEqual([256, 512, 1_024, 1_024]);
    await fill(1, 'example.net', { priority: 0 });
    queue.inserted(0);
    expect((await queue.take(new Room(1))).map(({ priority }) => priority)).toEqual([0]);
    expect(read.at(-1)).toBe(256);
  });

  it('asks the store no more than needed: nothing new is nothing to read', async () => {
    await fill(1, 'one.org');
    const queue = queueOf();
    const due = jest.spyOn(store, 'due');
    const nextDue = jest.spyOn(store, 'nextDue');
    await send(queue, await queue.take(new Room(5)));
    expect(await queue.take(new Room(5))).toEqual([]);
    expect(await queue.untilNext()).toBeUndefined();
    const asked = () => due.mock.calls.length + nextDue.mock.calls.length;
    const before = asked();
    for (let i = 0; i < 10; i += 1) {
      expect(await queue.take(new Room(5))).toEqual([]);
      expect(await queue.untilNext()).toBeGreaterThan(0);
    }
    expect(asked()).toBe(before);
    await fill(1, 'two.org');
    queue.inserted(1);
    expect(domainsOf(await queue.take(new Room(5)))).toEqual(['two.org']);
  });

  it('notices what was put off, and what fell due while it was reading', async () => {
    await fill(1, 'soon.org', { dueAt: START + 500 });
    const queue = queueOf();
    expect(await queue.take(new Room(5))).toEqual([]);
    now = START + 500;
    expect(await queue.untilNext()).toBe(0);
    queue.stale();
    await send(queue, await queue.take(new Room(5)));
    expect(await queue.take(new Room(5))).toEqual([]);
    await queue.untilNext();
    await fill(1, 'later.org', { dueAt: now + 300 });
    queue.putOff(now + 300);
    expect(await queue.take(new Room(5))).toEqual([]);
    expect(await queue.untilNext()).toBe(300);
    now += 300;
    expect(domainsOf(await queue.take(new Room(5)))).toEqual(['later.org']);
  });

  it('goes on with what was put aside, and forgets the lane when it is through', async () => {
    await fill(400, 'one.org', { dueAt: START - 10 });
    const queue = queueOf();
    const first = await queue.take(new Room(10));
    expect(first).toHaveLength(2);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await store.lanes()).toEqual(['one.org']);
    await send(queue, first);
    let sent = first.length;
    for (let rounds = 0; sent < 400 && rounds < 400; rounds += 1) {
      const admitted = await queue.take(new Room(10));
      expect(admitted.length).toBeGreaterThan(0);
      sent += admitted.length;
      await send(queue, admitted);
    }
    expect(sent).toBe(400);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await store.lanes()).toEqual([]);
    expect(await queue.untilNext()).toBeUndefined();
  });

  it('finds the lanes that a process before made', async () => {
    await fill(3, 'slow.org');
    await store.putAside(await store.due(10, START, ''));
    const queue = queueOf();
    await queue.findLanes();
    expect(await queue.take(new Room(10))).toHaveLength(2);
  });

  it('waits for those of a lane that are due later, and forgets it when it is through', async () => {
    await fill(2, 'slow.org');
    await fill(2, 'slow.org', { dueAt: START + 500, priority: 2 }, 'later');
    await store.putAside(await store.due(10, START + 500, ''));
    const queue = queueOf();
    await queue.findLanes();
    await send(queue, await queue.take(new Room(10)));
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(495);
    const due = jest.spyOn(store, 'due');
    now = START + 499;
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(due.mock.calls.filter(([, , lane]) => lane === 'slow.org')).toEqual([]);
    now = START + 500;
    const later = await queue.take(new Room(10));
    expect(domainsOf(later)).toEqual(['slow.org', 'slow.org']);
    await send(queue, later);
    expect(await queue.take(new Room(10))).toEqual([]);
    await queue.untilNext();
    expect(queue.admit([{ ...later[0]!, messageId: 'new' }], new Room(1))).toHaveLength(1);
  });

  it('serves lanes in turn, and keeps half of the room for what waits in none', async () => {
    const lanes = ['a.org', 'b.org', 'c.org'];
    for (const lane of lanes) await fill(40, lane);
    await store.putAside(await store.due(200, START, ''));
    await fill(200, (n) => `${n}.example.com`);
    const queue = queueOf();
    await queue.findLanes();
    await send(queue, await queue.take(new Room(1)));
    const served: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const admitted = await queue.take(new Room(2));
      served.push(...domainsOf(admitted));
      await send(queue, admitted);
    }
    const times = lanes.map((lane) => served.filter((domain) => domain === lane).length);
    expect(times).toEqual([20, 20, 20]);
    expect(served).toHaveLength(120);
    expect(new Set(served.slice(0, 6).filter((domain) => lanes.includes(domain))).size).toBe(3);
  });

  it('reads nothing of lanes that there is no room for', async () => {
    await fill(4, 'a.org');
    await fill(4, 'b.org');
    await store.putAside(await store.due(10, START, ''));
    const queue = queueOf();
    await queue.findLanes();
    const due = jest.spyOn(store, 'due');
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['a.org']);
    expect(due.mock.calls.map(([, , lane]) => lane)).not.toContain('b.org');
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['b.org']);
  });

  it('begins elsewhere where others claimed from the same place, once', async () => {
    await fill(1_000, (n) => `${String(n).padStart(4, '0')}.example.com`);
    const queue = queueOf();
    const begin = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const first = await queue.take(new Room(1));
    expect(domainsOf(first)).toEqual(['0000.example.com']);
    queue.contended();
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['0128.example.com']);
    begin.mockRestore();
  });

  it('lets high priority have the room that is kept for it', async () => {
    await fill(300, 'bulk.org', { priority: 2 });
    const queue = queueOf();
    const busy = await queue.take(new Room(2));
    expect(await queue.take(new Room(0, 2))).toEqual([]);
    await fill(2, 'code.org', { priority: 0 });
    queue.inserted(0);
    expect(domainsOf(await queue.take(new Room(0, 2)))).toEqual(['code.org', 'code.org']);
    expect(domainsOf(busy)).toEqual(['bulk.org', 'bulk.org']);
  });

  it('puts nothing aside while it is the rate of the hop that holds it up', async () => {
    await fill(300, 'a.org');
    const queue = queueOf({ hopRate: 1 });
    expect(await queue.take(new Room(10))).toHaveLength(1);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(1_000);
    expect(await store.lanes()).toEqual([]);
    now += 1_000;
    expect(await queue.take(new Room(10))).toHaveLength(1);
  });

  it('keeps to the rate of a domain, and tells when it goes on', async () => {
    await fill(10, 'a.org');
    await fill(10, 'b.org', { dueAt: START + 60_000 });
    const queue = queueOf({ domainRates: new Map([['a.org', 2]]) });
    const admitted = await queue.take(new Room(10));
    expect(admitted).toHaveLength(2);
    await send(queue, admitted, 1);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(499);
  });

  it('follows the clock when it is set back while it runs', async () => {
    const queue = queueOf();
    await queue.followClock();
    await fill(1, 'a.org', { messageId: newId(START) });
    now -= 3_600_000;
    expect(await queue.take(new Room(10))).toEqual([]);
    await queue.followClock();
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['a.org']);
  });
});

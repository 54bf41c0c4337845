import type { DueDelivery } from '../deliveries/deliveries.store';
import { Due, domainsOf, START } from '../testing/due';
import type { Admitted, DueQueue } from './due.queue';
import { Room } from './room';

describe('lanes of the queue', () => {
  let due: Due;
  beforeEach(async () => (due = await Due.open()));
  afterEach(() => due.close());

  it('are served until they are empty, and then removed', async () => {
    await due.fill(400, 'one.org', { dueAt: START - 10 });
    const queue = due.queue();
    const first = await queue.take(new Room(10));
    expect(first).toHaveLength(2);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await due.store.lanes()).toEqual(['one.org']);
    await due.send(queue, first);
    let sent = first.length;
    for (let rounds = 0; sent < 400 && rounds < 400; rounds += 1) {
      const admitted = await queue.take(new Room(10));
      expect(admitted.length).toBeGreaterThan(0);
      sent += admitted.length;
      await due.send(queue, admitted);
    }
    expect(sent).toBe(400);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await due.store.lanes()).toEqual([]);
    expect(await queue.untilNext()).toBeUndefined();
  });

  it('are not made while the rate of the hop is the limit', async () => {
    await due.fill(300, 'a.org');
    const queue = due.queue({ hopRate: 1 });
    expect(await queue.take(new Room(10))).toHaveLength(1);
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(1_000);
    expect(await due.store.lanes()).toEqual([]);
    due.now += 1_000;
    expect(await queue.take(new Room(10))).toHaveLength(1);
  });

  it('are found again after a restart', async () => {
    await due.fill(3, 'slow.org');
    await due.store.putAside(await due.store.due(10, START, ''));
    const queue = due.queue();
    await queue.findLanes();
    expect(await queue.take(new Room(10))).toHaveLength(2);
  });

  it('wait for deliveries that are due later, and are removed when empty', async () => {
    await due.fill(2, 'slow.org');
    await due.fill(2, 'slow.org', { dueAt: START + 500, priority: 2 }, 'later');
    await due.store.putAside(await due.store.due(10, START + 500, ''));
    const queue = due.queue();
    await queue.findLanes();
    await due.send(queue, await queue.take(new Room(10)));
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(495);
    const reading = jest.spyOn(due.store, 'due');
    due.now = START + 499;
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(reading.mock.calls.filter(([, , lane]) => lane === 'slow.org')).toEqual([]);
    due.now = START + 500;
    const later = await queue.take(new Room(10));
    expect(domainsOf(later)).toEqual(['slow.org', 'slow.org']);
    await due.send(queue, later);
    expect(await queue.take(new Room(10))).toEqual([]);
    await queue.untilNext();
    expect(queue.admit([{ ...later[0]!, messageId: 'new' }], new Room(1))).toHaveLength(1);
  });

  it('are served in turn, and half of the room stays for the main lane', async () => {
    const lanes = ['a.org', 'b.org', 'c.org'];
    for (const lane of lanes) await due.fill(40, lane);
    await due.store.putAside(await due.store.due(200, START, ''));
    await due.fill(200, (n) => `${n}.example.com`);
    const queue = due.queue();
    await queue.findLanes();
    await due.send(queue, await queue.take(new Room(1)));
    const served: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const admitted = await queue.take(new Room(2));
      served.push(...domainsOf(admitted));
      await due.send(queue, admitted);
    }
    const times = lanes.map((lane) => served.filter((domain) => domain === lane).length);
    expect(times).toEqual([20, 20, 20]);
    expect(served).toHaveLength(120);
    expect(new Set(served.slice(0, 6).filter((domain) => lanes.includes(domain))).size).toBe(3);
  });

  it.each([1, 2, 3])('leave half of the room to the main lane, with room for %i', async (places) => {
    await due.fill(200, 'a.org');
    await due.store.putAside(await due.store.due(200, START, ''));
    await due.fill(200, (n) => `${n}.example.com`);
    const queue = due.queue();
    await queue.findLanes();
    const served: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const admitted = await queue.take(new Room(places));
      served.push(...domainsOf(admitted));
      await due.send(queue, admitted);
    }
    const ofLane = served.filter((domain) => domain === 'a.org').length / served.length;
    expect(ofLane).toBeGreaterThan(0.3);
    expect(ofLane).toBeLessThan(0.7);
  });

  it.each([1, 2, 3])('have all of the room while the main lane is held up, with room for %i', async (places) => {
    await due.fill(40, 'a.org');
    await due.store.putAside(await due.store.due(200, START, ''));
    await due.fill(4, 'slow.org');
    const queue = due.queue({ domainConcurrency: new Map([['slow.org', 1]]) });
    await queue.findLanes();
    const first = await queue.take(new Room(10));
    expect(domainsOf(first)).toEqual(['a.org', 'a.org', 'slow.org']);
    await due.send(queue, first.slice(0, 2));
    for (let round = 0; round < 10; round += 1) {
      const admitted = await queue.take(new Room(places));
      expect(domainsOf(admitted)).toEqual(Array(places).fill('a.org'));
      await due.send(queue, admitted);
    }
  });

  it('are not read without room for them', async () => {
    await due.fill(4, 'a.org');
    await due.fill(4, 'b.org');
    await due.store.putAside(await due.store.due(10, START, ''));
    const queue = due.queue();
    await queue.findLanes();
    const reading = jest.spyOn(due.store, 'due');
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['a.org']);
    expect(reading.mock.calls.map(([, , lane]) => lane)).not.toContain('b.org');
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['b.org']);
  });

  it('are read again if more is put aside while they wait for a later delivery', async () => {
    await due.fill(1, 'slow.org', { dueAt: START + 60_000 }, 'later');
    await due.store.putAside(await due.store.due(10, START + 60_000, ''));
    const queue = due.queue({ domainConcurrency: new Map([['slow.org', 1]]) });
    await queue.findLanes();
    expect(await queue.take(new Room(10))).toEqual([]);
    await due.fill(300, 'slow.org');
    queue.noteInserted(1);
    let sent = 0;
    for (let looks = 0; sent < 300 && looks < 1_000; looks += 1) {
      const admitted = await queue.take(new Room(10));
      await due.send(queue, admitted);
      sent += admitted.length;
    }
    expect(sent).toBe(300);
  });

  it.each([
    ['nothing waits in its lane', false, false],
    ['another waits in its lane for later', true, false],
    ['nothing waits in its lane, and it is deferred during the lookup', false, true],
    ['another waits in its lane for later, and it is deferred during the lookup', true, true],
  ])('resume on time with a deferred delivery, if %s', async (_what, another, meanwhile) => {
    await due.fill(1, 'slow.org');
    if (another) await due.fill(1, 'slow.org', { dueAt: START + 60_000 }, 'later');
    await due.store.putAside(await due.store.due(10, START + 60_000, ''));
    const queue = due.queue();
    await queue.findLanes();
    const [admitted] = await queue.take(new Room(10));
    await due.send(queue, [admitted!]);
    if (!meanwhile) expect(await queue.take(new Room(10))).toEqual([]);
    const { accountId, messageId } = admitted!;
    const claim = { accountId, messageId, owner: 'a', attempts: 0, claimedAt: START };
    const dueAt = due.now + 1_000;
    const next = { accountId, messageId, state: 'deferred' as const, attempts: 1, dueAt };
    const putOff = async () => {
      await due.store.record([{ claim, next, event: { id: 'e', json: '{}' } }]);
      queue.putOff(admitted!, dueAt);
    };
    if (meanwhile) {
      const nextDue = due.store.nextDue.bind(due.store);
      jest.spyOn(due.store, 'nextDue').mockImplementationOnce(async (...asked) => {
        const answer = await nextDue(...asked);
        await putOff();
        return answer;
      });
    } else await putOff();
    expect(await queue.take(new Room(10))).toEqual([]);
    expect(await queue.untilNext()).toBe(1_000);
    due.now = dueAt;
    expect(domainsOf(await queue.take(new Room(10)))).toEqual(['slow.org']);
  });

  it('let high priority that is put aside later go first', async () => {
    await due.fill(100, 'slow.org', { priority: 2 });
    await due.store.putAside(await due.store.due(200, START, ''));
    const queue = due.queue({ domainConcurrency: new Map([['slow.org', 1]]) });
    await queue.findLanes();
    const bulk = await queue.take(new Room(10));
    await due.fill(300, 'slow.org', { priority: 0 }, 'code');
    queue.noteInserted(0);
    expect(await queue.take(new Room(10))).toEqual([]);
    await due.send(queue, bulk);
    expect(await queue.take(new Room(10))).toEqual([expect.objectContaining({ priority: 0 })]);
  });

  it('are read in larger batches while they are used up quickly', async () => {
    await due.fill(600, 'quick.org');
    await due.store.putAside(await due.store.due(600, START, ''));
    const queue = due.queue();
    await queue.findLanes();
    const reading = jest.spyOn(due.store, 'due');
    for (let sent = 0; sent < 600;) {
      const admitted = await queue.take(new Room(10));
      sent += admitted.length;
      await due.send(queue, admitted, 1);
    }
    const asked = reading.mock.calls.filter(([, , lane]) => lane === 'quick.org').map(([limit]) => limit);
    expect(asked).toEqual([32, 64, 128, 256, 256]);
  });

  describe('while nothing waits in the main lane', () => {
    const readsOfMain = () => reading.mock.calls.filter(([, , lane]) => lane === '').length;
    let queue: DueQueue;
    let reading: jest.SpyInstance<Promise<DueDelivery[]>, [limit: number, now: number, lane: string]>;
    beforeEach(async () => {
      await due.fill(400, 'quick.org');
      await due.store.putAside(await due.store.due(400, START, ''));
      queue = due.queue();
      await queue.findLanes();
      reading = jest.spyOn(due.store, 'due');
      await due.send(queue, await queue.take(new Room(10)), 1);
      expect(readsOfMain()).toBe(1);
    });

    it('are served without a look into it for each of their deliveries', async () => {
      for (let round = 0; round < 20; round += 1) await due.send(queue, await queue.take(new Room(10)), 1);
      expect(readsOfMain()).toBe(1);
      due.now += 1_000;
      await queue.take(new Room(10));
      expect(readsOfMain()).toBe(2);
    });

    it.each<[string, (dueAt: number) => Promise<void>]>([
      ['new mail comes', () => Promise.resolve(queue.noteInserted(1))],
      ['a delivery that was put off is due again', (dueAt) => Promise.resolve(queue.putOff(ofMain, dueAt))],
      ['a delivery is due that was seen before', () => queue.untilNext().then(() => undefined)],
    ])('make room for it at once if %s', async (what, announce) => {
      const dueAt = what === 'new mail comes' ? START : START + 100;
      await due.fill(1, 'main.org', { dueAt });
      await announce(dueAt);
      due.now = Math.max(due.now, dueAt);
      expect(domainsOf(await queue.take(new Room(10)))).toContain('main.org');
    });

    const ofMain: Admitted = {
      accountId: 'default',
      messageId: 'main.org/0',
      domain: 'main.org',
      priority: 1,
      dueAt: START,
      enteredAt: START,
      aside: false,
    };
  });

  it('are read from another place after lost claims, each lane by itself', async () => {
    await due.fill(100, 'a.org');
    await due.store.putAside(await due.store.due(100, START, ''));
    await due.fill(300, (n) => `${String(n).padStart(4, '0')}.example.com`);
    const queue = due.queue({ domainConcurrency: new Map([['a.org', 1]]) });
    const begin = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await queue.findLanes();
    const first = await queue.take(new Room(2));
    expect(domainsOf(first)).toEqual(['a.org', '0000.example.com']);
    queue.noteContended(first.slice(0, 1));
    for (const lost of first) queue.leave(lost, 'cut short');
    const reading = jest.spyOn(due.store, 'due');
    const [ofLane, ofMain] = await queue.take(new Room(2));
    expect(reading.mock.calls).toEqual([[64, START, 'a.org']]);
    const ids = (await due.store.due(64, START, 'a.org')).map(({ messageId }) => messageId);
    expect([ofLane!.messageId, ofMain!.domain]).toEqual([ids[32], '0001.example.com']);
    begin.mockRestore();
  });
});

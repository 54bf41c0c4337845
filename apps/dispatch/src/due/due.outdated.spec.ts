import { Due, domainsOf, START } from '../testing/due';
import { MAX_WINDOW_AGE_MS } from './due.window';
import { Room } from './room';

describe('a window that is being served', () => {
  let due: Due;
  beforeEach(async () => (due = await Due.open()));
  afterEach(() => due.close());

  it.each([0, 1] as const)('lets a delivery of priority %i go first once it is due again', async (priority) => {
    await due.fill(20, (n) => `${n + 10}.bulk.org`, { priority: 2 });
    await due.fill(1, 'code.org', { priority, dueAt: START + MAX_WINDOW_AGE_MS });
    const queue = due.queue();
    const first = await queue.take(new Room(1));
    expect(domainsOf(first)).toEqual(['10.bulk.org']);
    await due.send(queue, first, MAX_WINDOW_AGE_MS - 1);
    const second = await queue.take(new Room(1));
    expect(domainsOf(second)).toEqual(['11.bulk.org']);
    await due.send(queue, second, 1);
    expect(domainsOf(await queue.take(new Room(3)))).toEqual(['code.org', '12.bulk.org', '13.bulk.org']);
  });

  it('is read again when a delivery falls due while all that waits is held up', async () => {
    await due.fill(1, 'held.org');
    const queue = due.queue({ domainRates: new Map([['held.org', 0.1]]) });
    await due.send(queue, await queue.take(new Room(1)));
    await due.fill(1, 'held.org', {}, 'again-');
    await due.fill(1, 'code.org', { dueAt: START + 300 });
    queue.noteInserted(1);
    expect(await queue.take(new Room(1))).toEqual([]);
    due.now += (await queue.untilNext())!;
    expect(due.now).toBe(START + 300);
    expect(domainsOf(await queue.take(new Room(1)))).toEqual(['code.org']);
  });

  it('is read again once a second at most', async () => {
    await due.fill(40, (n) => `${n}.bulk.org`, { priority: 2 });
    const queue = due.queue();
    const reads = jest.spyOn(due.store, 'due');
    for (let sent = 0; sent < 40; sent += 1) await due.send(queue, await queue.take(new Room(1)), 100);
    expect(reads).toHaveBeenCalledTimes(4);
  });

  it('is not read again while all that waits is of high priority', async () => {
    await due.fill(20, (n) => `${n}.code.org`, { priority: 0 });
    const queue = due.queue();
    const reads = jest.spyOn(due.store, 'due');
    for (let sent = 0; sent < 20; sent += 1) await due.send(queue, await queue.take(new Room(1)), 500);
    expect(reads).toHaveBeenCalledTimes(2);
  });
});

import type { DueDelivery } from '../deliveries/deliveries.store';
import { Due, domainsOf, START } from '../testing/due';
import { DueLanes } from './due.lanes';
import { Room } from './room';

const delivery = (domain: string): DueDelivery => ({
  accountId: 'a',
  messageId: `${domain}/1`,
  domain,
  priority: 1,
  dueAt: START,
});
const namesInTurn = (lanes: DueLanes, now = START): string[] => [...lanes.inTurn(now)].map(([name]) => name);

describe('lanes', () => {
  it('come in turn, once each, also if they are served meanwhile', () => {
    const lanes = new DueLanes();
    lanes.add(['a.org', 'b.org', 'c.org']);
    const seen: string[] = [];
    for (const [name] of lanes.inTurn(START)) {
      seen.push(name);
      if (name !== 'b.org') lanes.moveToEnd(name);
    }
    expect(seen).toEqual(['a.org', 'b.org', 'c.org']);
    expect(namesInTurn(lanes)).toEqual(['b.org', 'a.org', 'c.org']);
    for (const [name] of lanes.inTurn(START)) lanes.remove(name);
    expect(lanes.size).toBe(0);
  });

  it('are not asked before something may go: what was read waits for a rate, what was not read to fall due', () => {
    const lanes = new DueLanes();
    lanes.of('rate.org').endRead([delivery('rate.org')], true, START, 1);
    lanes.of('rate.org').heldUntil = START + 20;
    lanes.of('later.org').nextAt = START + 10;
    lanes.of('never.org').nextAt = Infinity;
    expect([0, 9, 10, 20].map((ms) => namesInTurn(lanes, START + ms))).toEqual([
      [],
      [],
      ['later.org'],
      ['rate.org', 'later.org'],
    ]);
    expect([0, 10, 20].map((ms) => lanes.nextAfter(START + ms))).toEqual([START + 10, START + 20, Infinity]);
    lanes.markStale();
    expect(namesInTurn(lanes)).toHaveLength(3);
  });

  it.each([
    [1, 32],
    [2_000, 16],
    [70_000, 1],
  ])('are read so far ahead, when there are %i, that all of them together fit into memory', (count, size) => {
    const lanes = new DueLanes();
    lanes.add(Array.from({ length: count }, (_, n) => `${n}.org`));
    expect(lanes.readSize(lanes.of('0.org'), START)).toBe(size);
    expect(lanes.nextAfter(START)).toBe(Infinity);
  });
});

it('a lane whose rate is used up goes on when the rate allows it, and not before', async () => {
  const due = await Due.open();
  await due.fill(3, 'a.org');
  await due.fill(3, 'b.org');
  await due.store.putAside(await due.store.due(10, START, ''));
  const queue = due.queue({ domainRates: new Map([['*', 0.5]]) });
  await queue.findLanes();
  for (let round = 0; round < 3; round += 1) {
    const admitted = await queue.take(new Room(10));
    expect(domainsOf(admitted)).toEqual(['a.org', 'b.org']);
    await due.send(queue, admitted);
    expect(await queue.take(new Room(10))).toEqual([]);
    // After the last round nothing waits any more.
    if (round < 2) expect(await queue.untilNext()).toBe(1_995);
    due.now += 1_994;
    expect(await queue.take(new Room(10))).toEqual([]);
    due.now += 1;
  }
  await due.close();
});

import * as fc from 'fast-check';
import { WeightedSemaphore, type PendingGrant } from './weighted.semaphore';

const LONG_MS = 60_000;

describe('a weighted semaphore', () => {
  let places: PendingGrant[] = [];
  afterEach(() => {
    places.forEach(({ leave }) => leave());
    places = [];
  });
  const wait = (room: WeightedSemaphore, amount: number, ms = LONG_MS) => {
    const place = room.wait(amount, ms);
    places.push(place);
    return place;
  };

  it('can be taken while enough is left, and given back', () => {
    const room = new WeightedSemaphore(10);
    expect([room.tryTake(6), room.tryTake(5), room.tryTake(4)]).toEqual([true, false, true]);
    room.giveBack(6);
    expect(room.tryTake(6)).toBe(true);
  });

  it('is granted in order of arrival: a smaller request does not overtake a larger one', async () => {
    const room = new WeightedSemaphore(10);
    room.tryTake(8);
    expect(room.hasWaiting).toBe(false);
    const large = wait(room, 10);
    expect([room.hasWaiting, room.tryTake(1)]).toEqual([true, false]);
    const small = wait(room, 1);
    room.giveBack(8);
    expect(await large.granted).toBe(true);
    room.giveBack(10);
    expect(await small.granted).toBe(true);
  });

  it('ends a wait after the given time and lets those behind go on', async () => {
    const room = new WeightedSemaphore(10);
    room.tryTake(8);
    const large = wait(room, 10, 1);
    const small = wait(room, 2);
    expect(await large.granted).toBe(false);
    expect(await small.granted).toBe(true);
  });

  it('resolves a wait with false when the caller leaves or when all are refused', async () => {
    const room = new WeightedSemaphore(1);
    room.tryTake(1);
    const [first, second, third] = [wait(room, 1), wait(room, 1), wait(room, 1)];
    first.leave();
    expect(await first.granted).toBe(false);
    room.refuseAll();
    expect(await Promise.all([second.granted, third.granted])).toEqual([false, false]);
    room.giveBack(1);
    expect(room.tryTake(1)).toBe(true);
  });

  it('never grants more than its capacity, and ends with all of it free', async () => {
    const step = fc.record({ amount: fc.integer({ min: 1, max: 10 }), leaves: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const room = new WeightedSemaphore(10);
      let inside = 0;
      const visit = async ({ amount, leaves }: { amount: number; leaves: boolean }) => {
        if (!room.tryTake(amount)) {
          const place = room.wait(amount, LONG_MS);
          if (leaves) place.leave();
          if (!(await place.granted)) return;
        }
        inside += amount;
        expect(inside).toBeLessThanOrEqual(10);
        await Promise.resolve();
        inside -= amount;
        room.giveBack(amount);
      };
      await Promise.all(steps.map(visit));
      expect(room.tryTake(10)).toBe(true);
    });
    await fc.assert(property);
  });

  it('grants nothing to a later, smaller request when part of the capacity is given back', async () => {
    const room = new WeightedSemaphore(10);
    room.tryTake(10);
    const order: string[] = [];
    const large = wait(room, 8).granted.then(() => order.push('large'));
    const small = wait(room, 2).granted.then(() => order.push('small'));
    room.giveBack(4);
    await Promise.resolve();
    room.giveBack(6);
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });
});

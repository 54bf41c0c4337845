import * as fc from 'fast-check';
import { WeightedSemaphore, type Waiting } from './weighted.semaphore';

const LONG_MS = 60_000;

describe('a weighted semaphore', () => {
  let places: Waiting[] = [];
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
    expect([room.take(6), room.take(5), room.take(4)]).toEqual([true, false, true]);
    room.give(6);
    expect(room.take(6)).toBe(true);
  });

  it('is granted in order of arrival: a smaller request does not overtake a larger one', async () => {
    const room = new WeightedSemaphore(10);
    room.take(8);
    const large = wait(room, 10);
    const small = wait(room, 1);
    expect(room.take(1)).toBe(false);
    room.give(8);
    expect(await large.granted).toBe(true);
    room.give(10);
    expect(await small.granted).toBe(true);
  });

  it('ends a wait after the given time and lets those behind go on', async () => {
    const room = new WeightedSemaphore(10);
    room.take(8);
    const large = wait(room, 10, 1);
    const small = wait(room, 2);
    expect(await large.granted).toBe(false);
    expect(await small.granted).toBe(true);
  });

  it('resolves a wait with false when the caller leaves or when all are refused', async () => {
    const room = new WeightedSemaphore(1);
    room.take(1);
    const [first, second, third] = [wait(room, 1), wait(room, 1), wait(room, 1)];
    first.leave();
    expect(await first.granted).toBe(false);
    room.refuse();
    expect(await Promise.all([second.granted, third.granted])).toEqual([false, false]);
    room.give(1);
    expect(room.take(1)).toBe(true);
  });

  it('never grants more than its capacity, and ends with all of it free', async () => {
    const step = fc.record({ amount: fc.integer({ min: 1, max: 10 }), leaves: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const room = new WeightedSemaphore(10);
      let inside = 0;
      const visit = async ({ amount, leaves }: { amount: number; leaves: boolean }) => {
        if (!room.take(amount)) {
          const place = room.wait(amount, LONG_MS);
          if (leaves) place.leave();
          if (!(await place.granted)) return;
        }
        inside += amount;
        expect(inside).toBeLessThanOrEqual(10);
        await Promise.resolve();
        inside -= amount;
        room.give(amount);
      };
      await Promise.all(steps.map(visit));
      expect(room.take(10)).toBe(true);
    });
    await fc.assert(property);
  });

  it('grants nothing to a later, smaller request when part of the capacity is given back', async () => {
    const room = new WeightedSemaphore(10);
    room.take(10);
    const order: string[] = [];
    const large = wait(room, 8).granted.then(() => order.push('large'));
    const small = wait(room, 2).granted.then(() => order.push('small'));
    room.give(4);
    await Promise.resolve();
    room.give(6);
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });
});

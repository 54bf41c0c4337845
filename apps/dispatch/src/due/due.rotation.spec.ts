import fc from 'fast-check';
import type { DueDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { rotateMostUrgent } from './due.rotation';

const due = (n: number, priority: PriorityRank = 1): DueDelivery => ({
  accountId: 'default',
  messageId: String(n),
  priority,
  domain: 'example.com',
  dueAt: 0,
});

describe('rotateMostUrgent', () => {
  it('keeps all deliveries, and never puts a lower priority first', () => {
    const ranks = fc.array(fc.constantFrom<PriorityRank>(0, 1, 2), { maxLength: 40 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(ranks, random, (priorities, value) => {
        const window = priorities.sort().map((priority, n) => due(n, priority));
        const turned = rotateMostUrgent(window, value);
        expect(turned.map(({ priority }) => priority)).toEqual(priorities);
        expect(new Set(turned)).toEqual(new Set(window));
      }),
    );
  });

  /** Replicas take turns like senders, each with what it saw of the queue at its last look. */
  function lostShare(replicas: number, turn: boolean, seed: number): number {
    let state = seed;
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    const left = new Set(Array.from({ length: 5_000 }, (_, n) => n));
    const seats = Array.from({ length: replicas }, () => ({ window: [] as DueDelivery[], shared: false }));
    let [asked, lost] = [0, 0];
    while (left.size > 0) {
      for (const seat of seats) {
        if (seat.window.length === 0) {
          const found = [...left].slice(0, 256).map((n) => due(n));
          seat.window = seat.shared ? rotateMostUrgent(found, random()) : found;
          seat.shared = false;
        }
        const keys = seat.window.splice(0, 10);
        const won = keys.filter(({ messageId }) => left.delete(Number(messageId))).length;
        asked += keys.length;
        lost += keys.length - won;
        if (turn && won < keys.length) [seat.shared, seat.window] = [true, []];
      }
    }
    return lost / asked;
  }

  it.each([2, 4])('saves %i replicas most of the claims they would lose at the head', (replicas) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(lostShare(replicas, false, seed)).toBeGreaterThan(0.4);
      expect(lostShare(replicas, true, seed)).toBeLessThan(0.2);
    }
  });
});

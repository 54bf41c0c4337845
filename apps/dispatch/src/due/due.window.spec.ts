import type { DueDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { DueWindow, FRESH_MS, type Sifted } from './due.window';

const NOW = 1_800_000_000_000;
const one = (messageId: string, priority: PriorityRank = 1): DueDelivery => ({
  ...{ accountId: 'default', messageId, priority, domain: 'example.com' },
});
const windowOf = (...ids: string[]) => new DueWindow(ids.map((id) => one(id)));
const idsOf = (window: DueWindow) => window.takeAll().map(({ messageId }) => messageId);

describe('the head of a lane', () => {
  it('keeps those that wait, in their order, and all behind the one that finds it full', () => {
    const sifted: Record<string, Sifted> = { a: 'waits', b: 'left', c: 'waits', d: 'full', e: 'left' };
    const window = windowOf('a', 'b', 'c', 'd', 'e');
    expect(window.sift(({ messageId }) => sifted[messageId]!)).toBe(true);
    expect(idsOf(window)).toEqual(['a', 'c', 'd', 'e']);
    const all = windowOf('a', 'b', 'c');
    expect(all.sift(({ messageId }) => sifted[messageId]!)).toBe(false);
    expect(idsOf(all)).toEqual(['a', 'c']);
  });

  it('is read again for what goes before some of it, and kept for what goes behind', () => {
    const window = new DueWindow([one('a', 0), one('b', 1)]);
    expect([window.inserted(1), window.length]).toEqual([false, 2]);
    expect([window.inserted(0), window.length]).toEqual([true, 0]);
  });

  it('is over when all that was due has gone, until something falls due, comes in or may have', () => {
    const window = new DueWindow();
    expect(window.isOver(NOW)).toBe(false);
    const read = () => {
      window.read([], true, NOW);
      window.nextAt = NOW + 10;
    };
    read();
    expect([window.isOver(NOW + 9), window.isOver(NOW + 10)]).toEqual([true, false]);
    window.inserted(1);
    expect(window.isOver(NOW)).toBe(false);
    read();
    window.stale();
    expect(window.isOver(NOW)).toBe(false);
    window.read([], false, NOW);
    expect(window.isOver(NOW)).toBe(false);
  });

  it('is held up for a moment while those that are left of all that is due wait', () => {
    const window = new DueWindow();
    window.read([one('a')], true, NOW);
    expect([window.isHeldUp(NOW), window.isHeldUp(NOW + FRESH_MS)]).toEqual([true, false]);
    window.read([one('a')], false, NOW);
    expect(window.isHeldUp(NOW)).toBe(false);
  });
});

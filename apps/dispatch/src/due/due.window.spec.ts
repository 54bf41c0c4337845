import type { DueDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { DueWindow, MAX_WINDOW_AGE_MS, type SiftVerdict } from './due.window';

const NOW = 1_800_000_000_000;
const one = (messageId: string, priority: PriorityRank = 1): DueDelivery => ({
  accountId: 'default',
  messageId,
  priority,
  domain: 'example.com',
  dueAt: 0,
});
const windowOf = (...ids: string[]) => new DueWindow(ids.map((id) => one(id)));
const idsOf = (window: DueWindow) => window.takeAll().map(({ messageId }) => messageId);

describe('the window of a lane', () => {
  it('keeps waiting deliveries in order, and all from the first that finds no room', () => {
    const sifted: Record<string, SiftVerdict> = { a: 'waits', b: 'left', c: 'waits', d: 'full', e: 'left' };
    const window = windowOf('a', 'b', 'c', 'd', 'e');
    expect(window.sift(({ messageId }) => sifted[messageId]!)).toBe(true);
    expect(idsOf(window)).toEqual(['a', 'c', 'd', 'e']);
    const all = windowOf('a', 'b', 'c');
    expect(all.sift(({ messageId }) => sifted[messageId]!)).toBe(false);
    expect(idsOf(all)).toEqual(['a', 'c']);
  });

  it('is discarded if a higher priority is inserted, and kept if only a lower one is', () => {
    const window = new DueWindow([one('a', 0), one('b', 1)]);
    expect([window.noteInserted(1), window.length]).toEqual([false, 2]);
    expect([window.noteInserted(0), window.length]).toEqual([true, 0]);
  });

  it('is over once all due deliveries have gone, until something may be due again', () => {
    const window = new DueWindow();
    expect(window.isDrained(NOW)).toBe(false);
    const read = () => {
      window.endRead([], true, NOW, 4);
      window.nextAt = NOW + 10;
    };
    read();
    expect([window.isDrained(NOW + 9), window.isDrained(NOW + 10)]).toEqual([true, false]);
    window.noteInserted(1);
    expect(window.isDrained(NOW)).toBe(false);
    read();
    window.markStale();
    expect(window.isDrained(NOW)).toBe(false);
    window.endRead([], false, NOW, 4);
    expect(window.isDrained(NOW)).toBe(false);
  });

  it('is held up for a moment while all remaining due deliveries wait', () => {
    const window = new DueWindow();
    window.endRead([one('a')], true, NOW, 4);
    expect([window.isHeldUp(NOW), window.isHeldUp(NOW + MAX_WINDOW_AGE_MS)]).toEqual([true, false]);
    window.endRead([one('a')], false, NOW, 4);
    expect(window.isHeldUp(NOW)).toBe(false);
  });

  it('doubles its size if it was used up within a moment, up to a limit', () => {
    const window = new DueWindow();
    const next = (now: number) => window.nextReadSize(4, 10, now);
    expect(next(NOW)).toBe(4);
    window.endRead([one('a')], false, NOW, 4);
    expect([next(NOW + MAX_WINDOW_AGE_MS - 1), next(NOW + MAX_WINDOW_AGE_MS)]).toEqual([8, 4]);
    window.endRead([one('a')], false, NOW, 8);
    expect(next(NOW)).toBe(10);
    window.endRead([one('a')], true, NOW, 8);
    expect(next(NOW)).toBe(4);
  });

  it('is discarded and read larger if other processes claim from it too', () => {
    const window = new DueWindow();
    window.endRead([one('a'), one('b')], true, NOW, 4);
    window.noteContended();
    expect([window.length, window.isDrained(NOW), window.isShared, window.nextReadSize(4, 10, NOW)]).toEqual([
      0,
      false,
      true,
      8,
    ]);
    window.endRead([], true, NOW, 8);
    expect([window.isDrained(NOW - 1), window.isShared]).toEqual([false, false]);
  });
});

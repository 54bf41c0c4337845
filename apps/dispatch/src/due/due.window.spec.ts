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
      window.beginRead();
      window.endRead([], true, NOW, 4);
      window.nextAt = NOW + 10;
    };
    read();
    expect([window.isDrained(NOW + 9), window.isDrained(NOW + 10)]).toEqual([true, false]);
    window.noteInserted(1);
    expect(window.isDrained(NOW)).toBe(false);
    read();
    window.markStale();
    expect([window.isDrained(NOW), window.isWhole, window.nextAt]).toEqual([false, false, 0]);
    window.endRead([], false, NOW, 4);
    expect(window.isDrained(NOW)).toBe(false);
    read();
    window.endRead([one('a')], true, NOW, 4);
    expect(window.isDrained(NOW)).toBe(false);
  });

  it('is over until the first of what is expected', () => {
    const window = new DueWindow();
    window.nextAt = Infinity;
    for (const later of [30, 20, 40]) window.expect(NOW + later);
    expect(window.nextAt).toBe(NOW + 20);
  });

  it('lacks what fell due during its read if it is empty', () => {
    const window = new DueWindow();
    window.endRead([one('a')], true, NOW, 4);
    expect(window.unknownSince(NOW + 5)).toBe(NOW + 5);
    window.takeAll();
    expect(window.unknownSince(NOW + 5)).toBe(NOW);
  });

  it('is not all if something came in during its read, and discarded if that goes before some of it', () => {
    const window = new DueWindow();
    const read = (...arrivals: PriorityRank[]) => {
      window.beginRead();
      for (const rank of arrivals) window.noteInserted(rank);
      window.endRead([one('a', 0), one('b', 1)], true, NOW, 4);
      return [window.length, window.isWhole];
    };
    expect([read(0, 2), read(0), read(1), read(2), read()]).toEqual([
      [0, false],
      [0, false],
      [2, false],
      [2, false],
      [2, true],
    ]);
  });

  it('is held up for a moment while all remaining due deliveries wait', () => {
    const window = new DueWindow();
    window.endRead([one('a')], true, NOW, 4);
    expect([window.isHeldUp(NOW), window.isHeldUp(NOW + MAX_WINDOW_AGE_MS)]).toEqual([true, false]);
    window.nextAt = NOW + 10;
    expect([window.isHeldUp(NOW + 9), window.isHeldUp(NOW + 10)]).toEqual([true, false]);
    window.endRead([one('a')], false, NOW, 4);
    expect(window.isHeldUp(NOW)).toBe(false);
    window.endRead([], true, NOW, 4);
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
    window.nextAt = NOW + 10;
    window.noteContended();
    expect(window.unknownSince(NOW)).toBe(0);
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

import fc from 'fast-check';
import {
  growWindow,
  connectionsOf,
  capWindow,
  newWindow,
  halveWindow,
  isResting,
  isTight,
  mostConnections,
  carryingWindow,
  refuseWindow,
  type HopWindow,
} from './hop.window';

const FORGET_AFTER_MS = 15 * 60_000;

function afterMails(mails: number, window: HopWindow, now: number): HopWindow {
  for (let i = 0; i < mails; i += 1) window = growWindow(window, now);
  return window;
}

describe('the window of connections to a hop', () => {
  it('begins with few and is fully open after as many mails as it has connections', () => {
    expect(connectionsOf(newWindow(10), 0)).toBe(2);
    expect(connectionsOf(newWindow(1), 0)).toBe(1);
    expect(connectionsOf(afterMails(4, newWindow(10), 0), 0)).toBe(6);
    expect(connectionsOf(afterMails(8, newWindow(10), 0), 0)).toBe(10);
    expect(connectionsOf(afterMails(62, newWindow(64), 0), 0)).toBe(64);
  });

  it('is halved once by pressure on all attempts under way, and then rests', () => {
    const open = afterMails(100, newWindow(10), 0);
    const once = halveWindow(open, 990, 1000);
    expect(connectionsOf(once, 1000)).toBe(5);
    expect(halveWindow(once, 990, 1000)).toBe(once);
    expect(halveWindow(once, 1000, 1005)).toBe(once);
    expect(connectionsOf(halveWindow(once, 1001, 1010), 1010)).toBe(2);
    expect([1000, 30_999, 31_000].map((now) => isResting(once, now))).toEqual([true, true, false]);
    expect(connectionsOf(afterMails(100, once, 30_000), 30_000)).toBe(5);
  });

  it('grows again by one per round, up to the maximum', () => {
    const halved = halveWindow(afterMails(100, newWindow(10), 0), 0, 0);
    const later = 30_000;
    expect(connectionsOf(afterMails(4, halved, later), later)).toBe(5);
    expect(connectionsOf(afterMails(5, halved, later), later)).toBe(6);
    expect(connectionsOf(afterMails(11, halved, later), later)).toBe(7);
    expect(connectionsOf(afterMails(40, halved, later), later)).toBe(10);
  });

  it('is the open connections for a second if one more was refused, and for good if that happens again', () => {
    const open = afterMails(100, newWindow(10), 0);
    const once = capWindow(open, { open: 7, opening: 0 }, 990, 1_000);
    expect([1_000, 1_999, 2_000].map((now) => connectionsOf(once, now))).toEqual([7, 7, 10]);
    const twice = capWindow(once, { open: 7, opening: 0 }, 2_000, 2_010);
    expect([2_010, 60_000].map((now) => connectionsOf(twice, now))).toEqual([7, 7]);
    expect(connectionsOf(capWindow(open, { open: 0, opening: 0 }, 990, 1_000), 1_000)).toBe(1);
    expect(connectionsOf(capWindow(open, { open: 12, opening: 0 }, 990, 1_000), 1_000)).toBe(10);
  });

  it('has as many again for attempts that hang, if the hop was not seen to refuse them', () => {
    const open = afterMails(100, newWindow(10), 0);
    expect([newWindow(10), open].map((window) => mostConnections(window, 0))).toEqual([4, 20]);
    const once = capWindow(open, { open: 12, opening: 1 }, 990, 1_000);
    expect([1_000, 60_000].map((now) => mostConnections(once, now))).toEqual([13, 20]);
    const twice = capWindow(once, { open: 12, opening: 1 }, 2_000, 2_010);
    expect([2_010, 60_000].map((now) => mostConnections(twice, now))).toEqual([12, 12]);
    // It bears those that were being opened, too, or more than that.
    expect(mostConnections(carryingWindow(twice, 13, 1_995), 2_010)).toBe(13);
    expect(mostConnections(carryingWindow(twice, 13, 2_011), 60_000)).toBe(20);
    const halved = halveWindow(open, 990, 1_000);
    expect([1_000, 60_000].map((now) => mostConnections(halved, now))).toEqual([5, 10]);
  });

  it('rests for longer after each connection that is refused, those at a time counted once', () => {
    let window = afterMails(100, newWindow(10), 0);
    let now = 0;
    const rests = Array.from({ length: 7 }, () => {
      window = capWindow(window, { open: 7, opening: 0 }, (now += 60_000), now);
      expect(capWindow(window, { open: 8, opening: 0 }, now, now + 1)).toEqual(window);
      return window.restMs;
    });
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(connectionsOf(capWindow(window, { open: 6, opening: 0 }, now, now + 1), now + 30_000)).toBe(6);
  });

  it('rests for a second if a connection is refused that was to take the place of another one', () => {
    let window = afterMails(100, newWindow(10), 0);
    for (const [standing, now] of [
      [9, 60_000],
      [8, 120_000],
      [7, 180_000],
    ] as const) {
      window = capWindow(window, { open: standing, opening: 0 }, now, now);
      expect(window).toMatchObject({ size: 10, restMs: 1_000, refusals: 1 });
    }
    expect(capWindow(window, { open: 7, opening: 0 }, 240_000, 240_000)).toMatchObject({
      size: 7,
      restMs: 2_000,
      refusals: 2,
    });
  });

  it('is bound by those being opened, too, until they are refused', () => {
    const open = afterMails(100, newWindow(10), 0);
    let window = capWindow(open, { open: 3, opening: 6 }, 1, 2);
    expect(connectionsOf(window, 2)).toBe(9);
    for (const opening of [5, 4, 3, 2, 1, 0]) window = capWindow(window, { open: 3, opening }, 1, 3);
    expect([3, 1_002].map((now) => connectionsOf(window, now))).toEqual([3, 10]);
    const again = capWindow(window, { open: 3, opening: 6 }, 1_002, 1_003);
    expect(again).toMatchObject({ refusals: 2, restMs: 2_000 });
    // Some of those that were being opened at that time carry mails now: more than the hop bore before.
    expect(carryingWindow(again, 4, 1_002)).toMatchObject({ refusals: 1, restMs: 1_000, bears: 4 });
    expect(isTight(carryingWindow(again, 4, 1_004))).toBe(false);
  });

  it('is soon as large as it was if the hop bears more than where it refused one', () => {
    const once = capWindow(afterMails(100, newWindow(10), 0), { open: 7, opening: 0 }, 0, 1);
    const twice = capWindow(once, { open: 7, opening: 0 }, 1_001, 1_001);
    expect(carryingWindow(twice, 7, 1_002)).toBe(twice);
    expect(isTight(twice)).toBe(true);
    const more = carryingWindow(afterMails(7, twice, 3_001), 8, 3_001);
    expect(isTight(more)).toBe(false);
    expect(connectionsOf(afterMails(2, more, 3_001), 3_001)).toBe(10);
    expect(capWindow(more, { open: 7, opening: 0 }, 4_000, 4_000)).toMatchObject({ refusals: 1, restMs: 1_000 });
  });

  it('does not rest for less time because a connection is refused, too', () => {
    const busy = halveWindow(afterMails(100, newWindow(10), 0), 0, 1);
    const refused = capWindow(busy, { open: 3, opening: 0 }, 10_001, 10_001);
    expect([30_000, 30_001].map((now) => isResting(refused, now))).toEqual([true, false]);
  });

  it('allows no more because a hop that bears few now says that it is too much', () => {
    const filled = capWindow(afterMails(2, newWindow(4), 0), { open: 1, opening: 0 }, 1, 1);
    expect(connectionsOf(filled, 2)).toBe(1);
    expect(connectionsOf(halveWindow(filled, 2, 2), 2)).toBe(1);
    expect(connectionsOf(refuseWindow(filled, 2, 2), 2)).toBe(1);
  });

  it('is halved for a short time if the hop refuses the only connection', () => {
    const refused = refuseWindow(afterMails(100, newWindow(10), 0), 0, 1);
    expect(connectionsOf(refused, 1)).toBe(5);
    expect(refuseWindow(refused, 1, 2)).toBe(refused);
    expect([1_000, 1_001].map((now) => isResting(refused, now))).toEqual([true, false]);
  });

  it('starts over with a hop that was not used lately', () => {
    const open = afterMails(100, newWindow(10), 0);
    expect(connectionsOf(open, FORGET_AFTER_MS)).toBe(10);
    expect(connectionsOf(open, FORGET_AFTER_MS + 1)).toBe(2);
    expect(connectionsOf(growWindow(open, FORGET_AFTER_MS + 1), FORGET_AFTER_MS + 1)).toBe(3);
  });

  it('does not rest or ignore pressure longer because the clock was set back', () => {
    const hour = 3_600_000;
    const halved = halveWindow(afterMails(100, newWindow(10), hour), hour, hour);
    expect(isResting(halved, 0)).toBe(false);
    expect(connectionsOf(afterMails(40, halved, 0), 0)).toBe(10);
    expect(connectionsOf(halveWindow(halved, 0, 0), 0)).toBe(2);
  });

  it('stays between one and the maximum, grows only by success and shrinks only by pressure or silence', () => {
    const step = fc.record({
      kind: fc.constantFrom('borne', 'pressed', 'filled'),
      pause: fc.constantFrom(0, 1, 500, 20_000, FORGET_AFTER_MS, 2 * FORGET_AFTER_MS),
      of: fc.nat({ max: 100 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 50 }), (most, steps) => {
        let window = newWindow(most);
        let now = 1;
        for (const { kind, pause, of } of steps) {
          now += pause;
          const before = connectionsOf(window, now);
          if (kind === 'borne') window = growWindow(window, now);
          else if (kind === 'pressed') window = halveWindow(window, now - of, now);
          else window = capWindow(window, { open: of, opening: 0 }, now, now);
          const size = connectionsOf(window, now);
          expect(size).toBeGreaterThanOrEqual(1);
          expect(size).toBeLessThanOrEqual(most);
          if (kind === 'borne') expect([before, before + 1]).toContain(size);
          else expect(size).toBeLessThanOrEqual(before);
        }
        // Whatever happened before, a hop that bears everything gets everything.
        now += FORGET_AFTER_MS;
        for (let i = 0; i < 2 * most * most + 10 && connectionsOf(window, now) < most; i += 1) {
          window = growWindow(window, now);
        }
        expect(connectionsOf(window, now)).toBe(most);
      }),
    );
  });
});

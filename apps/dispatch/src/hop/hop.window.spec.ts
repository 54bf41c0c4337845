import fc from 'fast-check';
import { growWindow, connectionsOf, capWindow, newWindow, halveWindow, isResting, type HopWindow } from './hop.window';

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

  it('shrinks to the open connections if one more was refused', () => {
    const open = afterMails(100, newWindow(10), 0);
    expect(connectionsOf(capWindow(open, 7, 1000), 1000)).toBe(7);
    expect(connectionsOf(capWindow(open, 0, 1000), 1000)).toBe(1);
    expect(connectionsOf(capWindow(open, 12, 1000), 1000)).toBe(10);
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
          else window = capWindow(window, of, now);
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

import fc from 'fast-check';
import { borne, connectionsOf, filled, newWindow, pressed, resting, type HopWindow } from './hop.window';

const LATELY = 15 * 60_000;

function after(mails: number, window: HopWindow, now: number): HopWindow {
  for (let i = 0; i < mails; i += 1) window = borne(window, now);
  return window;
}

describe('the window of connections to a hop', () => {
  it('begins with few and is fully open after as many mails as it has connections', () => {
    expect(connectionsOf(newWindow(10), 0)).toBe(2);
    expect(connectionsOf(newWindow(1), 0)).toBe(1);
    expect(connectionsOf(after(4, newWindow(10), 0), 0)).toBe(6);
    expect(connectionsOf(after(8, newWindow(10), 0), 0)).toBe(10);
    expect(connectionsOf(after(62, newWindow(64), 0), 0)).toBe(64);
  });

  it('is halved once by pressure on all attempts under way, and then rests', () => {
    const open = after(100, newWindow(10), 0);
    const once = pressed(open, 990, 1000);
    expect(connectionsOf(once, 1000)).toBe(5);
    expect(pressed(once, 995, 1005)).toBe(once);
    expect(connectionsOf(pressed(once, 1001, 1010), 1010)).toBe(2);
    expect(resting(once, 30_000)).toBe(true);
    expect(connectionsOf(after(100, once, 30_000), 30_000)).toBe(5);
  });

  it('grows again by one per round, up to the maximum', () => {
    const halved = pressed(after(100, newWindow(10), 0), 0, 0);
    const later = 30_000;
    expect(connectionsOf(after(5, halved, later), later)).toBe(6);
    expect(connectionsOf(after(11, halved, later), later)).toBe(7);
    expect(connectionsOf(after(40, halved, later), later)).toBe(10);
  });

  it('shrinks to the open connections if one more was refused', () => {
    const open = after(100, newWindow(10), 0);
    expect(connectionsOf(filled(open, 7, 1000), 1000)).toBe(7);
    expect(connectionsOf(filled(open, 0, 1000), 1000)).toBe(1);
    expect(connectionsOf(filled(open, 12, 1000), 1000)).toBe(10);
  });

  it('starts over with a hop that was not used lately', () => {
    const open = after(100, newWindow(10), 0);
    expect(connectionsOf(open, LATELY)).toBe(10);
    expect(connectionsOf(open, LATELY + 1)).toBe(2);
    expect(connectionsOf(borne(open, LATELY + 1), LATELY + 1)).toBe(3);
  });

  it('does not rest or ignore pressure longer because the clock was set back', () => {
    const hour = 3_600_000;
    const halved = pressed(after(100, newWindow(10), hour), hour, hour);
    expect(resting(halved, 0)).toBe(false);
    expect(connectionsOf(after(40, halved, 0), 0)).toBe(10);
    expect(connectionsOf(pressed(halved, 0, 0), 0)).toBe(2);
  });

  it('stays between one and the maximum, grows only by success and shrinks only by pressure or silence', () => {
    const step = fc.record({
      kind: fc.constantFrom('borne', 'pressed', 'filled'),
      pause: fc.constantFrom(0, 1, 500, 20_000, LATELY, 2 * LATELY),
      of: fc.nat({ max: 100 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 50 }), (most, steps) => {
        let window = newWindow(most);
        let now = 1;
        for (const { kind, pause, of } of steps) {
          now += pause;
          const before = connectionsOf(window, now);
          if (kind === 'borne') window = borne(window, now);
          else if (kind === 'pressed') window = pressed(window, now - of, now);
          else window = filled(window, of, now);
          const size = connectionsOf(window, now);
          expect(size).toBeGreaterThanOrEqual(1);
          expect(size).toBeLessThanOrEqual(most);
          if (kind === 'borne') expect([before, before + 1]).toContain(size);
          else expect(size).toBeLessThanOrEqual(before);
        }
        // Whatever happened before, a hop that bears everything gets everything.
        now += LATELY;
        for (let i = 0; i < 2 * most * most + 10 && connectionsOf(window, now) < most; i += 1) {
          window = borne(window, now);
        }
        expect(connectionsOf(window, now)).toBe(most);
      }),
    );
  });
});

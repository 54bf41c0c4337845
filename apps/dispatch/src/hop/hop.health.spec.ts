import { HopHealth } from './hop.health';

const health = () => new HopHealth({ first: 1_000, longest: 30_000 });

describe('the health of a hop', () => {
  it('asks for a pause that doubles up to the longest, until the hop succeeds again', () => {
    const hop = health();
    let now = 0;
    const pauses = Array.from({ length: 7 }, () => {
      const pause = hop.failed(now);
      expect([0, pause - 1, pause].map((later) => hop.isPaused(now + later))).toEqual([true, true, false]);
      now += pause;
      return pause;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(hop.isUp).toBe(false);
    hop.succeeded();
    expect([hop.isPaused(now), hop.isUp]).toEqual([false, true]);
    expect(hop.failed(now)).toBe(1_000);
    // A connection that was being opened meanwhile ends the pause.
    hop.succeeded();
    expect(hop.isPaused(now)).toBe(false);
  });

  it('is not proved by being let in if the hop failed at a mail', () => {
    const hop = health();
    expect(hop.failed(0, true)).toBe(1_000);
    hop.succeeded();
    expect([hop.isPaused(999), hop.isUp]).toEqual([true, false]);
    expect(hop.failed(1_000, true)).toBe(2_000);
    hop.proved();
    expect([hop.isPaused(1_001), hop.isUp]).toEqual([false, true]);
    expect(hop.failed(4_000)).toBe(1_000);
  });

  it('is doubted once if the hop is silent, without a pause', () => {
    const hop = health();
    expect([hop.doubt(), hop.doubt(), hop.isUp, hop.isPaused(0)]).toEqual([true, false, false, false]);
    hop.succeeded();
    expect(hop.isUp).toBe(true);
    hop.failed(0);
    expect(hop.doubt()).toBe(false);
  });

  it('does not extend the pause if the clock was set back', () => {
    const hop = health();
    hop.failed(3_600_000);
    expect(hop.isPaused(3_600_500)).toBe(true);
    expect(hop.isPaused(500)).toBe(false);
  });
});

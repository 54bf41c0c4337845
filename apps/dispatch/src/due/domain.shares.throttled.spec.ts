import { DomainShares } from './domain.shares';

const START = 1_800_000_000_000;
const sharesWith = (hopRate: number | null): DomainShares =>
  new DomainShares({ connections: 10, hopRate, domainRates: new Map(), domainConcurrency: new Map() });

/** The hop takes twenty mails to different domains, and throttles the next four. */
function throttled(shares: DomainShares): number {
  const now = START + 10;
  for (let n = 0; n < 24; n += 1) {
    expect(shares.enter(`d${n}.org`, START)).toBe(true);
    shares.leave(`d${n}.org`, START, now, n < 20 ? 'by itself' : 'throttling');
  }
  return now;
}

describe('while the hop throttles', () => {
  it('every domain waits for the rate that the hop takes, urgent mail too', () => {
    const shares = sharesWith(null);
    expect(shares.learnedRate(START)).toBeUndefined();
    const now = throttled(shares);
    expect(shares.learnedRate(now)).toBeCloseTo(17, 0);
    for (const isUrgent of [false, true]) expect(shares.enter('other.org', now, isUrgent)).toBe(false);
    expect(shares.isHopRateUsedUp(now)).toBe(true);
    const wait = shares.waitMs('other.org', now);
    expect(wait).toBeCloseTo(1_000 / 17, -1);
    expect(shares.enter('other.org', now + wait)).toBe(true);
    expect(shares.enter('another.org', now + wait)).toBe(false);
  });

  it('a lower HOP_RATE holds', () => {
    const shares = sharesWith(30);
    const now = throttled(shares) + 100;
    let begun = 0;
    for (let at = now; at < now + 5_000; at += 1) {
      if (!shares.enter(`e${at}.org`, at)) continue;
      begun += 1;
      shares.leave(`e${at}.org`, at, at, 'by itself');
    }
    // From 17 on it grows.
    expect(begun).toBeGreaterThan(80);
    expect(begun).toBeLessThanOrEqual(5 * 30 + 30);
    const slow = new DomainShares({
      connections: 10,
      hopRate: 24,
      domainRates: new Map([['*', 1]]),
      domainConcurrency: new Map(),
    });
    const at = throttled(slow);
    expect(slow.enter('d1.org', at + 500)).toBe(false);
    expect(slow.enter('d1.org', at + 1_000)).toBe(true);
  });

  it('attempts that were cut short say nothing', () => {
    const shares = sharesWith(null);
    for (let n = 0; n < 24; n += 1) {
      shares.enter(`d${n}.org`, START);
      shares.leave(`d${n}.org`, START, START + 10, 'cut short');
    }
    expect(shares.learnedRate(START + 10)).toBeUndefined();
  });
});

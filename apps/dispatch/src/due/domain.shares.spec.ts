import fc from 'fast-check';
import { DomainShares, type Limits } from './domain.shares';

const START = 1_800_000_000_000;
const sharesWith = (over: Partial<Limits> = {}): DomainShares =>
  new DomainShares({
    connections: 10,
    hopRate: null,
    domainRates: new Map(),
    domainConcurrency: new Map(),
    ...over,
  });
/** How many more a domain may begin at once. */
const countAdmitted = (shares: DomainShares, domain: string, now: number): number => {
  let count = 0;
  while (count < 100 && shares.enter(domain, now)) count += 1;
  return count;
};
/** Runs attempts one after the other, each taking `ms`. */
const sendInTurn = (shares: DomainShares, domain: string, times: number, ms: number, from = START): number => {
  let now = from;
  for (let i = 0; i < times; i += 1) {
    expect(shares.enter(domain, now)).toBe(true);
    shares.leave(domain, now, (now += ms), 'by itself');
  }
  return now;
};

describe('the share of a domain', () => {
  it('starts small and grows with each attempt that ends quickly', () => {
    const shares = sharesWith();
    expect(countAdmitted(shares, 'a.org', START)).toBe(2);
    const grown = sharesWith();
    let now = sendInTurn(grown, 'a.org', 20, 5);
    expect(countAdmitted(grown, 'a.org', now)).toBe(22);
    const bounded = sharesWith({ connections: 200 });
    now = sendInTurn(bounded, 'a.org', 100, 5);
    expect(countAdmitted(bounded, 'a.org', now)).toBe(64);
  });

  it('is small again after a slow attempt', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'fast.org', 50, 5);
    now = sendInTurn(shares, 'a.org', 20, 5, now);
    now = sendInTurn(shares, 'a.org', 1, 5_000, now);
    now = sendInTurn(shares, 'a.org', 1, 5, now);
    expect(countAdmitted(shares, 'a.org', now)).toBe(3);
  });

  it('is a tenth of the connections while the domain is slower than the others', () => {
    for (const [connections, tenth] of [
      [39, 3],
      [5, 1],
    ] as const) {
      const shares = sharesWith({ connections });
      let now = sendInTurn(shares, 'fast.org', 50, 5);
      now = sendInTurn(shares, 'slow.org', 1, 5_000, now);
      expect(countAdmitted(shares, 'slow.org', now)).toBe(tenth);
      expect(countAdmitted(shares, 'fast.org', now)).toBeGreaterThan(20);
    }
  });

  it('is zero while more than a tenth of the connections hang, even if other attempts end slowly meanwhile', () => {
    const shares = sharesWith({ connections: 20 });
    let now = sendInTurn(shares, 'fast.org', 50, 5);
    for (const _ of [1, 2]) {
      now = sendInTurn(shares, 'slow.org', 1, 60_000, now);
      now = sendInTurn(shares, 'fast.org', 50, 5, now);
      expect(countAdmitted(shares, 'slow.org', now)).toBe(2);
      now += 60_000;
    }
    expect(shares.stuckCount(now)).toBe(4);
    expect(countAdmitted(shares, 'slow.org', now)).toBe(0);
  });

  it('grows normally if the hop is equally slow for all domains', () => {
    const shares = sharesWith();
    const now = sendInTurn(shares, 'a.org', 20, 3_000);
    expect(countAdmitted(shares, 'a.org', now)).toBe(22);
  });

  it('grows as before at a slow hop after the clock was set back during an attempt', () => {
    const shares = sharesWith();
    const now = sendInTurn(shares, 'a.org', 20, 3_000);
    shares.enter('a.org', now);
    shares.leave('a.org', now, now - 3_600_000, 'by itself');
    expect(countAdmitted(shares, 'a.org', sendInTurn(shares, 'a.org', 5, 3_000, now - 3_600_000))).toBeGreaterThan(20);
  });

  it('adapts to a hop that becomes slow for all domains', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'a.org', 20, 5);
    now = sendInTurn(shares, 'a.org', 100, 3_000, now);
    now = sendInTurn(shares, 'b.org', 1, 3_000, now);
    expect(countAdmitted(shares, 'b.org', now)).toBe(3);
  });

  it('ignores the end of an attempt that never began', () => {
    const shares = sharesWith();
    expect(shares.enter('a.org', START)).toBe(true);
    shares.leave('a.org', START + 7, START + 9, 'cut short');
    expect(countAdmitted(shares, 'a.org', START + 9)).toBe(1);
  });

  it('is forgotten after ten thousand other domains, unless an attempt is under way', () => {
    const shares = sharesWith();
    const now = sendInTurn(shares, 'old.org', 20, 5);
    expect(shares.enter('busy.org', now)).toBe(true);
    sendInTurn(shares, 'known.org', 1, 5, now);
    for (let n = 0; n < 9_998; n += 1) sendInTurn(shares, `${n}.org`, 1, 0, now);
    expect(countAdmitted(shares, 'known.org', now)).toBe(3);
    expect(countAdmitted(shares, 'old.org', now)).toBe(2);
    expect(countAdmitted(shares, 'busy.org', now)).toBe(1);
  });

  it('drops to zero while attempts hang, which count as stuck', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'dead.org', 20, 5);
    for (let i = 0; i < 4; i += 1) expect(shares.enter('dead.org', now)).toBe(true);
    expect(shares.stuckCount(now)).toBe(0);
    now += 2_000;
    expect(shares.stuckCount(now)).toBe(4);
    expect(countAdmitted(shares, 'dead.org', now)).toBe(0);
    expect(countAdmitted(shares, 'b.org', now)).toBe(2);
  });

  it('is not reduced by one hanging attempt while others end quickly', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'a.org', 20, 5);
    const share = () => {
      const begun = countAdmitted(shares, 'a.org', now);
      for (let i = 0; i < begun; i += 1) shares.leave('a.org', now, now, 'cut short');
      return begun;
    };
    expect(shares.enter('a.org', now)).toBe(true);
    now += 2_000;
    // Nothing has ended since, so one attempt at a time finds out.
    expect(share()).toBe(1);
    now = sendInTurn(shares, 'a.org', 1, 5, now);
    expect(share()).toBe(23);
    now = sendInTurn(shares, 'a.org', 1, 5, now + 300_000);
    expect(share()).toBe(24);
  });

  it('is zero while more than half of the connections hang', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'a.org', 20, 5);
    for (let i = 0; i < 6; i += 1) {
      expect(shares.enter('a.org', now)).toBe(true);
      // Meanwhile other attempts keep ending in good time.
      for (let moment = 0; moment < 15 && i < 5; moment += 1) now = sendInTurn(shares, 'a.org', 1, 5, now + 100);
    }
    expect(shares.stuckCount(now)).toBe(5);
    now = sendInTurn(shares, 'a.org', 1, 5, now);
    now += 1_001;
    expect(shares.stuckCount(now)).toBe(6);
    expect(countAdmitted(shares, 'a.org', now)).toBe(0);
  });

  it('is a fifth of the connections at most if no attempt ends', () => {
    const shares = sharesWith();
    let now = START;
    let begun = 0;
    for (let i = 0; i < 20; i += 1) begun += countAdmitted(shares, 'dead.org', (now += 5_000));
    expect(begun).toBe(2);
  });

  it('grows again when the domain recovers', () => {
    const shares = sharesWith();
    let now = sendInTurn(shares, 'a.org', 50, 5);
    now = sendInTurn(shares, 'b.org', 1, 9_000, now);
    now = sendInTurn(shares, 'a.org', 100, 5, now);
    now = sendInTurn(shares, 'b.org', 5, 5, now);
    expect(countAdmitted(shares, 'b.org', now)).toBeGreaterThan(5);
  });

  it('does not shrink if an attempt was cut short', () => {
    const shares = sharesWith();
    expect(shares.enter('a.org', START)).toBe(true);
    shares.leave('a.org', START, START + 60_000, 'cut short');
    expect(countAdmitted(shares, 'a.org', START + 60_000)).toBe(2);
  });

  it('is limited to the configured concurrency', () => {
    const shares = sharesWith({
      domainConcurrency: new Map([
        ['*', 3],
        ['a.org', 5],
      ]),
    });
    const now = sendInTurn(shares, 'b.org', 20, 5, sendInTurn(shares, 'a.org', 20, 5));
    expect([countAdmitted(shares, 'a.org', now), countAdmitted(shares, 'b.org', now)]).toEqual([5, 3]);
  });
});

describe('domain and hop rates', () => {
  it('limit attempts per second, of the named domain and of all others', () => {
    const shares = sharesWith({
      domainRates: new Map([
        ['a.org', 4],
        ['*', 1],
      ]),
      domainConcurrency: new Map(),
    });
    const begun = { 'a.org': 0, 'b.org': 0 };
    for (let now = START; now < START + 10_000; now += 50) {
      for (const domain of ['a.org', 'b.org'] as const) {
        if (!shares.enter(domain, now)) continue;
        begun[domain] += 1;
        shares.leave(domain, now, now + 1, 'by itself');
      }
    }
    // Those of the first second begin at once.
    expect(begun['a.org']).toBeLessThanOrEqual(44);
    expect(begun['a.org']).toBeGreaterThanOrEqual(40);
    expect(begun['b.org']).toBeLessThanOrEqual(11);
  });

  it('go on after the clock was set back', () => {
    const shares = sharesWith({ hopRate: 2, domainRates: new Map([['a.org', 2]]) });
    expect(shares.enter('a.org', START)).toBe(true);
    const earlier = START - 3_600_000;
    expect(shares.enter('a.org', earlier)).toBe(true);
    shares.leave('a.org', START, earlier, 'cut short');
    expect(shares.enter('a.org', earlier)).toBe(false);
    expect(shares.enter('a.org', earlier + 500)).toBe(true);
  });

  it('may be less than one a second, or nothing', () => {
    const shares = sharesWith({ hopRate: 0.5 });
    expect([0, 1_999, 2_000].map((ms) => shares.enter('a.org', START + ms))).toEqual([true, false, true]);
    expect(sharesWith({ hopRate: 0 }).enter('a.org', START)).toBe(false);
  });

  it('hold however many other domains get mail meanwhile', () => {
    const shares = sharesWith({
      domainRates: new Map([
        ['a.org', 0.01],
        ['*', 0.1],
      ]),
    });
    expect(shares.enter('a.org', START)).toBe(true);
    shares.leave('a.org', START, START, 'by itself');
    const begun = new Map<string, number>();
    for (let n = 0; n < 60_000; n += 1) {
      const [domain, now] = [`${n % 30_000}.org`, START + Math.floor(n / 4)];
      if (!shares.enter(domain, now)) continue;
      begun.set(domain, (begun.get(domain) ?? 0) + 1);
      shares.leave(domain, now, now, 'by itself');
    }
    expect(begun.size).toBe(30_000);
    expect(Math.max(...begun.values())).toBe(1);
    expect(shares.enter('a.org', START + 15_000)).toBe(false);
  });

  it('report when the next attempt may begin', () => {
    const shares = sharesWith({ hopRate: 2, domainRates: new Map([['a.org', 1]]) });
    expect(shares.waitMs('a.org', START)).toBe(0);
    expect([countAdmitted(shares, 'a.org', START), countAdmitted(shares, 'c.org', START)]).toEqual([1, 1]);
    expect(shares.isHopRateUsedUp(START)).toBe(true);
    expect(shares.enter('b.org', START)).toBe(false);
    expect(['a.org', 'b.org'].map((domain) => shares.waitMs(domain, START))).toEqual([1_000, 500]);
    expect(shares.isHopRateUsedUp(START + 500)).toBe(false);
    expect(shares.enter('b.org', START + 500)).toBe(true);
    expect(['a.org', 'b.org'].map((domain) => shares.waitMs(domain, START + 500))).toEqual([500, 500]);
  });
});

it('domain shares never admit more than the limit, whatever comes and goes', () => {
  const steps = fc.array(
    fc.record({
      domain: fc.constantFrom('a.org', 'b.org', 'c.org'),
      leaves: fc.boolean(),
      isUrgent: fc.boolean(),
      after: fc.nat({ max: 3_000 }),
    }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const shares = sharesWith({ domainConcurrency: new Map([['*', 6]]) });
      const open: { domain: string; at: number; isUrgent: boolean }[] = [];
      let now = START;
      for (const { domain, leaves, isUrgent, after } of all) {
        now += after;
        const one = leaves ? open.shift() : undefined;
        if (one) shares.leave(one.domain, one.at, now, 'by itself', one.isUrgent);
        else if (shares.enter(domain, now, isUrgent)) open.push({ domain, at: now, isUrgent });
        for (const name of ['a.org', 'b.org', 'c.org']) {
          expect(open.filter((each) => each.domain === name).length).toBeLessThanOrEqual(6);
        }
        expect(shares.stuckCount(now)).toBeLessThanOrEqual(open.length);
      }
      for (const { domain, at, isUrgent } of open) shares.leave(domain, at, now, 'by itself', isUrgent);
      expect(shares.stuckCount(now + 1e6)).toBe(0);
    }),
  );
});

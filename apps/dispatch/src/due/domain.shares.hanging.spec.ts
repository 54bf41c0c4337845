import { DomainShares } from './domain.shares';

const START = 1_800_000_000_000;
const CONNECTIONS = 10;
const HALF = 5;
const QUARTER = 2;
/** An attempt of this age hangs. */
const HANGS_MS = 1_001;

const names = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `${from + n}.org`);

describe('while many domains hang', () => {
  let shares: DomainShares;
  let now: number;
  beforeEach(() => {
    const unlimited = { hopRate: null, domainRates: new Map(), domainConcurrency: new Map() };
    shares = new DomainShares({ connections: CONNECTIONS, ...unlimited });
    now = START;
    answers('good.org', 20);
  });

  const answers = (domain: string, times: number): void => {
    for (let n = 0; n < times; n += 1) {
      expect(shares.enter(domain, now)).toBe(true);
      shares.leave(domain, now, (now += 5), 'by itself');
    }
  };
  /** Those of the domains that may begin an attempt, one after the other; all of them hang. */
  const beginAndHang = (domains: string[], isUrgent = false): string[] =>
    domains.filter((domain) => {
      const admitted = shares.enter(domain, now, isUrgent);
      now += HANGS_MS;
      return admitted;
    });
  /** Each has hung once, and has ended. */
  const learnThat = (domains: string[]): void => {
    for (const domain of domains) {
      shares.enter(domain, now);
      shares.leave(domain, now, (now += 60_000), 'by itself');
      answers('good.org', 20);
    }
  };

  it('those of which nothing is known leave places to domains that answer; high priority leaves fewer', () => {
    expect(beginAndHang(names(40))).toHaveLength(CONNECTIONS + QUARTER);
    expect(shares.stuckCount(now)).toBe(CONNECTIONS + QUARTER);
    expect(beginAndHang(names(40, 100), true)).toHaveLength(CONNECTIONS - 2 * QUARTER);
    expect(beginAndHang(names(40, 200))).toEqual([]);
    expect([shares.enter('good.org', now), shares.enter('good.org', now, true)]).toEqual([true, true]);
  });

  it('those that are known to hang share half of the connections, and the others go on as before', () => {
    learnThat(names(40));
    expect(beginAndHang(names(40))).toEqual(names(HALF));
    // Nothing goes through there, so they are the same for high priority.
    expect(beginAndHang(names(40), true)).toEqual([]);
    expect(beginAndHang(['good.org', ...names(3, 100)])).toHaveLength(4);
  });

  it('another one is tried when an attempt ends', () => {
    learnThat(names(7));
    const begunAt = now;
    expect(beginAndHang(names(7))).toEqual(names(HALF));
    shares.leave('0.org', begunAt, now, 'by itself');
    answers('good.org', 20);
    expect(beginAndHang(['5.org', '6.org'])).toEqual(['5.org']);
  });

  it('none is held up by the others while fewer than half of the connections hang', () => {
    learnThat(names(40));
    expect(beginAndHang(names(HALF - 1))).toHaveLength(HALF - 1);
    const rest = names(30, HALF).filter((domain) => shares.enter(domain, now));
    expect(rest).toHaveLength(30);
  });

  describe('at a domain that lets others through', () => {
    const goesOn = (isUrgent: boolean): boolean => {
      const begunAt = now;
      if (!shares.enter('good.org', begunAt, isUrgent)) return false;
      shares.leave('good.org', begunAt, (now += 5), 'by itself', isUrgent);
      return true;
    };
    const hangTooMany = (isUrgent: boolean): void => {
      for (let n = 0; n <= HALF; n += 1) {
        beginAndHang(['good.org'], isUrgent);
        goesOn(isUrgent);
      }
    };

    it('attempts of other priorities hold up none of high priority', () => {
      hangTooMany(false);
      expect([goesOn(true), goesOn(false)]).toEqual([true, false]);
      hangTooMany(true);
      expect([goesOn(true), goesOn(false)]).toEqual([false, false]);
      expect(shares.stuckCount(now)).toBe(2 * (HALF + 1));
    });

    it('they do so once it has let nothing through for a minute', () => {
      hangTooMany(false);
      expect(goesOn(true)).toBe(true);
      now += 60_001;
      expect(goesOn(true)).toBe(false);
    });
  });

  it('their attempts are not what is usual, even if all of them end at the same time', () => {
    const begunAt = now;
    const hung = beginAndHang(names(40));
    now += 60_000;
    hung.forEach((domain, n) => shares.leave(domain, begunAt + n * HANGS_MS, now, 'by itself'));
    shares.enter('slow.org', now);
    expect(shares.stuckCount(now + 6_000)).toBe(1);
  });
});

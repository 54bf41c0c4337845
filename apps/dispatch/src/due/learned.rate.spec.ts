import type { HopState } from '../lifecycle/delivery';
import { LearnedRate } from './learned.rate';

const START = 1_800_000_000_000;
const CONNECTIONS = 10;
/** Numbers in [0, 1) that are the same in each run. */
const random = (n: number): number => Math.abs(Math.sin(n * 12.9898) * 43_758.5453) % 1;

/** Says whether attempt `n` of a domain, answered at `ms` since the start, is throttled. */
type Hop = (ms: number, domain: number, n: number) => boolean;

/** Takes `perSecond` mails a second, `burst` of them at once. */
function takes(perSecond: number | ((ms: number) => number), burst?: number): Hop {
  let tokens = burst ?? (typeof perSecond === 'number' ? perSecond : perSecond(0));
  let at = 0;
  return (ms) => {
    const rate = typeof perSecond === 'number' ? perSecond : perSecond(ms);
    tokens = Math.min(burst ?? Math.max(1, rate), tokens + ((ms - at) * rate) / 1_000);
    at = ms;
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  };
}

/** Ten connections send as fast as they may; each attempt takes 5 to 9 ms. `demand`: mails a second that there are to send. */
class Life {
  readonly rate = new LearnedRate();
  taken = 0;
  throttled = 0;
  /** How far the clock was set. */
  skew = 0;
  private elapsed = 0;
  private busy: { domain: number; begun: number; until: number }[] = [];
  private n = 0;
  private readonly pause: number;

  constructor(
    private readonly hop: Hop,
    demand = Infinity,
    private readonly domains = 50,
    private readonly answer: HopState = 'throttling',
  ) {
    this.pause = 1_000 / demand;
  }

  get now(): number {
    return START + this.elapsed + this.skew;
  }

  get share(): number {
    return this.throttled / (this.taken + this.throttled);
  }

  /** Counts anew, for so long. */
  live(seconds: number): this {
    this.taken = 0;
    this.throttled = 0;
    for (const end = this.elapsed + seconds * 1_000; this.elapsed < end; this.elapsed = this.next()) {
      const ended = this.busy.filter(({ until }) => until <= this.elapsed);
      this.busy = this.busy.filter(({ until }) => until > this.elapsed);
      for (const one of ended) this.end(one);
      while (this.mayBegin() && this.rate.waitMs(this.now) === 0) this.begin();
    }
    return this;
  }

  private next(): number {
    const times = this.busy.map(({ until }) => until);
    if (this.mayBegin()) times.push(this.elapsed + this.rate.waitMs(this.now));
    else if (this.busy.length < CONNECTIONS) times.push(this.n * this.pause);
    return Math.max(this.elapsed + 1, Math.ceil(Math.min(...times)));
  }

  private mayBegin(): boolean {
    return this.busy.length < CONNECTIONS && this.n * this.pause <= this.elapsed;
  }

  private begin(): void {
    this.n += 1;
    this.rate.take(this.now);
    const domain = (this.n * 7_919) % this.domains;
    this.busy.push({ domain, begun: this.now, until: this.elapsed + 5 + (this.n % 5) });
  }

  private end({ domain, begun }: { domain: number; begun: number }): void {
    const throttled = this.hop(this.elapsed, domain, this.n);
    const hop = throttled ? this.answer : undefined;
    this.rate.answered({ domain: `d${domain}`, hop, begun, at: this.now });
    if (throttled) this.throttled += 1;
    else this.taken += 1;
  }
}

describe('the rate of a hop', () => {
  it.each([5, 14, 100, 500])('that takes %d a second is found, and nearly all of it used', (perSecond) => {
    const life = new Life(takes(perSecond)).live(60);
    expect(life.taken / 60).toBeGreaterThan(0.9 * perSecond);
    life.live(600);
    expect(life.taken / 600).toBeGreaterThan(0.9 * perSecond);
    expect(life.share).toBeLessThan(0.08);
  });

  it('is found for one that takes no two mails close to each other', () => {
    const life = new Life(takes(100, 1)).live(120);
    life.live(300);
    expect(life.taken / 300).toBeGreaterThan(50);
    expect(life.share).toBeLessThan(0.25);
  });

  it('is found whether mail goes to one domain or to a different one each time', () => {
    for (const domains of [1, 1_000_000]) {
      const life = new Life(takes(20), Infinity, domains).live(120);
      expect(life.taken / 120).toBeGreaterThan(18);
      expect(life.share).toBeLessThan(0.08);
    }
  });

  it('follows what it takes by now, down and up', () => {
    const life = new Life(takes((ms) => (ms < 120_000 ? 300 : ms < 300_000 ? 50 : 200))).live(140);
    life.live(160);
    expect(life.taken / 160).toBeGreaterThan(45);
    expect(life.share).toBeLessThan(0.1);
    life.live(60);
    life.live(60);
    expect(life.taken / 60).toBeGreaterThan(180);
  });

  it('is once in five seconds while it takes nothing, and back to nearly all within a minute', () => {
    const life = new Life(takes((ms) => (ms < 60_000 || ms > 3_660_000 ? 100 : 0))).live(70);
    life.live(3_590);
    expect(life.throttled).toBeGreaterThan(600);
    expect(life.throttled).toBeLessThan(800);
    life.live(60);
    life.live(60);
    expect(life.taken / 60).toBeGreaterThan(85);
  });

  it('is not limited by what a hop takes that is not asked for more', () => {
    const life = new Life(takes(20), 10).live(600);
    expect(life.throttled).toBe(0);
    expect(life.rate.perSecond(life.now)).toBeUndefined();
  });

  it('is forgotten when nothing was throttled for a quarter of an hour', () => {
    const life = new Life(takes(20)).live(60);
    expect(life.rate.perSecond(life.now)).toBeGreaterThan(10);
    expect(life.rate.perSecond(life.now + 14 * 60_000)).toBeGreaterThan(10);
    expect(life.rate.perSecond(life.now + 16 * 60_000)).toBeUndefined();
    expect(life.rate.waitMs(life.now + 16 * 60_000)).toBe(0);
  });

  it('makes nothing wait for long after the clock was set back', () => {
    const life = new Life(takes(20)).live(60);
    expect(life.rate.waitMs(life.now - 3_600_000)).toBeLessThan(100);
    life.skew = -3_600_000;
    life.live(60);
    expect(life.taken / 60).toBeGreaterThan(15);
  });
});

describe('a hop that can take nothing', () => {
  const unable = (isAway: (ms: number) => boolean, domains = 50) => new Life(isAway, 300, domains, 'unable');

  it.each([1, 50])('is asked once in five seconds, and gets all again within half a minute (%d domains)', (domains) => {
    const life = unable((ms) => ms > 60_000 && ms < 660_000, domains).live(70);
    expect(life.throttled).toBeLessThan(500);
    life.live(589);
    expect(life.throttled).toBeLessThan(130);
    life.live(25);
    life.live(5);
    expect(life.taken / 5).toBeGreaterThan(250);
  });

  it('gets all while it takes half of the mails, or refuses those of one domain', () => {
    for (const refuses of [(n: number) => random(n) < 0.5, (_n: number, domain: number) => domain === 3]) {
      const life = new Life((_ms, domain, n) => refuses(n, domain), 300, 50, 'unable').live(60);
      expect((life.taken + life.throttled) / 60).toBeGreaterThan(280);
    }
  });
});

describe('answers that are not about the rate of the hop', () => {
  it('slow nothing down if they are about one domain, before and after the hop throttled', () => {
    const ofOne = new Life((_ms, domain) => domain === 3, 300).live(60);
    expect(ofOne.rate.perSecond(ofOne.now)).toBeUndefined();
    const hop = takes(100);
    const life = new Life((ms, domain) => (ms < 60_000 ? hop(ms, domain, 0) : domain === 3), 300).live(60);
    life.live(120);
    life.live(60);
    expect((life.taken + life.throttled) / 60).toBeGreaterThan(290);
  });

  it.each([0.01, 0.05, 0.3])('do not slow it down for long if they meet a part of %d, whatever the rate', (part) => {
    const life = new Life((_ms, _domain, n) => random(n) < part, 300).live(600);
    life.live(600);
    expect((life.taken + life.throttled) / 600).toBeGreaterThan(60);
  });
});

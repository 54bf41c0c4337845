import { smoothed } from './smoothed';

/** Attempts that a domain of which nothing is known may have in progress. */
const INITIAL_WINDOW = 2;
const MAX_WINDOW = 64;
/** An attempt this long is slow, unless the hop takes that long for every domain. */
const MIN_SLOW_MS = 1_000;
const SLOW_FACTOR = 4;
/** What was learned of more domains than these is forgotten; the one that was busy longest ago goes first. */
const MAX_REMEMBERED_DOMAINS = 10_000;
/** A domain that has used up some of its rate is remembered until it may use all of it again, unless there are more than these. */
const MAX_LIMITED_DOMAINS = 200_000;

export interface Limits {
  /** Connections to the hop. */
  connections: number;
  /** Attempts a second, all domains together; 0: none. */
  hopRate: number | null;
  /** By domain; `*` is for those that are not named. */
  domainRates: ReadonlyMap<string, number>;
  domainConcurrency: ReadonlyMap<string, number>;
}

/** Allows `rate` attempts a second; those of one second may all begin at once. */
class TokenBucket {
  private tokens: number;
  private at = 0;

  constructor(private readonly rate: number) {
    this.tokens = this.capacity;
  }

  take(now: number): boolean {
    this.fill(now);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Milliseconds until one may begin; 0 if one may now. */
  waitMs(now: number): number {
    this.fill(now);
    return Math.max(0, Math.ceil(((1 - this.tokens) * 1000) / this.rate));
  }

  /** Whether it allows as much as if nothing had begun yet. */
  isFull(now: number): boolean {
    this.fill(now);
    return this.tokens === this.capacity;
  }

  private get capacity(): number {
    return this.rate === 0 ? 0 : Math.max(1, this.rate);
  }

  private fill(now: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + (Math.max(0, now - this.at) * this.rate) / 1000);
    this.at = now;
  }
}

/** How an attempt left. Its duration says something about its domain, unless it was cut short for a reason unrelated to the domain. */
export type Ending = 'by itself' | 'cut short';

interface Domain {
  /** When the attempts in progress began. */
  begun: number[];
  /** How many attempts may be in progress: grows with each that ends in good time. */
  window: number;
  slow: boolean;
  /** When an attempt last ended in good time. */
  answeredAt: number;
  bucket: TokenBucket | undefined;
}

/**
 * How much of the hop a recipient domain may use. A domain that answers in good time soon has as much as it wants, even if a few of its
 * attempts hang. A domain that is slow compared with the others, or answers nothing, gets a tenth of the connections in addition to a tenth
 * that hang, so that other domains are not held up. Configured rates are enforced. It has no clock and no timers: callers pass times.
 */
export class DomainShares {
  private readonly domains = new Map<string, Domain>();
  /** Domains with attempts in progress. */
  private readonly busy = new Set<Domain>();
  private readonly hop: TokenBucket | undefined;
  /** How long an attempt takes in milliseconds, averaged over all domains. */
  private averageMs: number | undefined;

  constructor(private readonly limits: Limits) {
    this.hop = limits.hopRate === null ? undefined : new TokenBucket(limits.hopRate);
  }

  /** Whether an attempt may begin now; if so, it counts as begun. */
  enter(name: string, now: number): boolean {
    const domain = this.domain(name, now);
    if (!this.admits(name, domain, now)) return false;
    if (this.isHopRateUsedUp(now)) return false;
    if (domain.bucket && !domain.bucket.take(now)) return false;
    this.hop?.take(now);
    domain.begun.push(now);
    this.busy.add(domain);
    return true;
  }

  /** Whether the rate of the hop allows nothing now, whatever the domain. */
  isHopRateUsedUp(now: number): boolean {
    return this.hop !== undefined && this.hop.waitMs(now) > 0;
  }

  /** An attempt that began at `begun` has ended. */
  leave(name: string, begun: number, now: number, ending: Ending): void {
    const domain = this.domain(name, now);
    const index = domain.begun.indexOf(begun);
    if (index >= 0) domain.begun.splice(index, 1);
    if (domain.begun.length === 0) this.busy.delete(domain);
    if (ending === 'cut short') return;
    const took = now - begun;
    this.averageMs = smoothed(this.averageMs, took);
    domain.slow = took > this.slowAfter();
    domain.window = domain.slow ? INITIAL_WINDOW : Math.min(domain.window + 1, MAX_WINDOW);
    if (!domain.slow) domain.answeredAt = now;
  }

  /** Number of attempts that hang and hold up others: as many additional ones may begin. */
  stuckCount(now: number): number {
    const after = this.slowAfter();
    let count = 0;
    for (const { begun } of this.busy) count += hanging(begun, after, now);
    return count;
  }

  /** Milliseconds until the rates allow the domain's next attempt; 0 if they do now, Infinity if never. */
  waitMs(name: string, now: number): number {
    return Math.max(this.hop?.waitMs(now) ?? 0, this.domains.get(name)?.bucket?.waitMs(now) ?? 0);
  }

  private admits(name: string, { begun, window, slow, answeredAt }: Domain, now: number): boolean {
    const { connections, domainConcurrency } = this.limits;
    if (begun.length >= (domainConcurrency.get(name) ?? domainConcurrency.get('*') ?? Infinity)) return false;
    const after = this.slowAfter();
    const hang = hanging(begun, after, now);
    // Hanging attempts say nothing about a domain that has ended others in good time since.
    const silent = hang > 0 && answeredAt - begun[0]! <= after;
    const few = Math.max(1, Math.floor(connections / 10));
    if (hang > (silent ? few : Math.max(few, Math.floor(connections / 2)))) return false;
    return begun.length - hang < (slow || silent ? few : window);
  }

  private slowAfter(): number {
    return Math.max(MIN_SLOW_MS, SLOW_FACTOR * (this.averageMs ?? 0));
  }

  private domain(name: string, now: number): Domain {
    const known = this.domains.get(name);
    const { domainRates } = this.limits;
    const rate = known ? undefined : (domainRates.get(name) ?? domainRates.get('*'));
    const bucket = rate === undefined ? undefined : new TokenBucket(rate);
    const domain = known ?? { begun: [], window: INITIAL_WINDOW, slow: false, answeredAt: -Infinity, bucket };
    this.domains.delete(name);
    this.domains.set(name, domain);
    if (this.domains.size > MAX_REMEMBERED_DOMAINS) this.forget(now);
    return domain;
  }

  private forget(now: number): void {
    for (const [name, { begun, bucket }] of this.domains) {
      if (begun.length > 0) continue;
      const isLimited = bucket !== undefined && !bucket.isFull(now) && this.domains.size <= MAX_LIMITED_DOMAINS;
      if (!isLimited) this.domains.delete(name);
      // Of the domains without a rate of their own, those behind it used theirs later.
      if (!isLimited || !this.limits.domainRates.has(name)) return;
    }
  }
}

/** How many of the attempts that began at these times have taken longer than `after` milliseconds. */
function hanging(begun: number[], after: number, now: number): number {
  let count = 0;
  for (const at of begun) if (now - at > after) count += 1;
  return count;
}

import type { HopState } from '../lifecycle/delivery';
import { LearnedRate } from './learned.rate';
import { shareBounds, type ShareBounds } from './share.bounds';
import { TokenBucket } from './token.bucket';
import { typical } from './typical';

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
  /** Connections to the hop, unless it was seen to bear fewer (`share`). */
  connections: number;
  /** Attempts a second, all domains together; 0: none. */
  hopRate: number | null;
  /** By domain; `*` is for those that are not named. */
  domainRates: ReadonlyMap<string, number>;
  domainConcurrency: ReadonlyMap<string, number>;
}

/**
 * How an attempt left: it says that the hop wants fewer mails, or can take none, or it ended in another way. Its duration says something
 * about its domain, unless it was cut short for a reason unrelated to the domain.
 */
export type Ending = 'by itself' | HopState | 'cut short';

/** A domain lets mails through if one ended in good time within this long. */
const LETS_THROUGH_MS = 60_000;

/** A hop that bears few connections is not filled with what may hang if much hung within this long. */
const WARY_MS = 10 * 60_000;

/** To a domain that lets mails through, attempts of high priority do not wait for those of others, nor the other way round. */
type Share = 'urgent' | 'others';

interface Domain {
  /** When the attempts in progress began. */
  begun: Record<Share, number[]>;
  /** How many attempts of each share may be in progress: grows with each that ends in good time. */
  window: number;
  slow: boolean;
  /** When an attempt last ended in good time. */
  answeredAt: number;
  bucket: TokenBucket | undefined;
}

/** What is known of a domain: it answers in good time; nothing yet; or it is slow, or hangs and has answered nothing since. */
type Standing = 'proven' | 'unknown' | 'suspect';

/** Attempts in progress that count for those of a share, whatever their domain. */
interface Census {
  hanging: number;
  ofSuspects: number;
  ofUnknown: number;
}

interface Censuses extends Record<Share, Census> {
  at: number;
  /** All that hang, each once. */
  stuck: number;
}

/**
 * How much of the hop a recipient domain may use. A domain that answers in good time soon has as much as it wants, even if a few of its
 * attempts hang. A domain that is slow compared with the others, or answers nothing, gets a tenth of the connections in addition to a tenth
 * that hang, so that other domains are not held up. When many domains hang, all that are known to do so share half of the connections, and
 * places are left to domains that answer. To a domain that lets mails through, all this holds for attempts of high priority alone, and for the
 * others alone. Rates are kept: those that are configured, and what the hop takes (`LearnedRate`). It has no clock and no timers: callers
 * pass times.
 */
export class DomainShares {
  private readonly domains = new Map<string, Domain>();
  /** Domains with attempts in progress. */
  private readonly busy = new Set<Domain>();
  private readonly hop: TokenBucket | undefined;
  private readonly learned = new LearnedRate();
  /** How long most attempts take in milliseconds, whatever their domain. */
  private usualMs: number | undefined;
  private lastCensus: Censuses | undefined;
  private bounds: ShareBounds;
  /** When as many attempts as half of the connections were last seen to hang. */
  private manyHungAt = -Infinity;

  constructor(private readonly limits: Limits) {
    this.bounds = shareBounds(limits.connections, limits.connections, 2 * limits.connections);
    this.hop = limits.hopRate === null ? undefined : new TokenBucket(limits.hopRate);
  }

  /** The hop bears so many `connections`, and `most` in all with those for attempts that hang. */
  share(connections: number, most: number): void {
    this.bounds = shareBounds(this.limits.connections, connections, most);
  }

  /** Whether an attempt may begin now; if so, it counts as begun. Mail of high priority need not keep out of the way of domains that answer. */
  enter(name: string, now: number, isUrgent = false): boolean {
    const domain = this.domain(name, now);
    const share = shareOf(isUrgent);
    if (!this.admits(name, domain, now, share)) return false;
    if (this.isHopRateUsedUp(now)) return false;
    if (domain.bucket && !domain.bucket.take(now)) return false;
    this.hop?.take(now);
    this.learned.take(now);
    domain.begun[share].push(now);
    this.busy.add(domain);
    this.lastCensus = undefined;
    return true;
  }

  /** Whether the rates of the hop allow nothing now, whatever the domain. */
  isHopRateUsedUp(now: number): boolean {
    return this.hopWaitMs(now) > 0;
  }

  /** Attempts a second that the hop gets while it throttles or can take nothing; undefined while it takes all. */
  learnedRate(now: number): number | undefined {
    return this.learned.perSecond(now);
  }

  /** An attempt that began at `begun` has ended. */
  leave(name: string, begun: number, now: number, ending: Ending, isUrgent = false): void {
    const domain = this.domain(name, now);
    const inProgress = domain.begun[shareOf(isUrgent)];
    const index = inProgress.indexOf(begun);
    if (index >= 0) inProgress.splice(index, 1);
    if (countBegun(domain) === 0) this.busy.delete(domain);
    this.lastCensus = undefined;
    if (ending === 'cut short') return;
    this.learned.answered({ domain: name, hop: ending === 'by itself' ? undefined : ending, begun, at: now });
    const took = now - begun;
    // As many as there are connections may end at once, when the hop has waited long enough for what they wait for.
    const step = 1 + 1 / this.limits.connections;
    this.usualMs = typical(this.usualMs, took, MIN_SLOW_MS / SLOW_FACTOR, step);
    domain.slow = took > this.slowAfter();
    domain.window = domain.slow ? INITIAL_WINDOW : Math.min(domain.window + 1, MAX_WINDOW);
    if (!domain.slow) domain.answeredAt = now;
  }

  /** Number of attempts that hang and hold up others: as many additional ones may begin. */
  stuckCount(now: number): number {
    return this.census(now).stuck;
  }

  /** Milliseconds until the rates allow the domain's next attempt; 0 if they do now, Infinity if never. */
  waitMs(name: string, now: number): number {
    return Math.max(this.hopWaitMs(now), this.domains.get(name)?.bucket?.waitMs(now) ?? 0);
  }

  private hopWaitMs(now: number): number {
    return Math.max(this.hop?.waitMs(now) ?? 0, this.learned.waitMs(now));
  }

  private admits(name: string, domain: Domain, now: number, share: Share): boolean {
    const { domainConcurrency } = this.limits;
    if (countBegun(domain) >= (domainConcurrency.get(name) ?? domainConcurrency.get('*') ?? Infinity)) return false;
    const begun = countedFor(share, domain, now);
    const after = this.slowAfter();
    const hang = hanging(begun, after, now);
    const standing = standingOf(domain, begun, hang, after);
    if (hang > (isSilent(domain, begun, hang, after) ? this.bounds.few : this.bounds.half)) return false;
    const most = standing === 'suspect' ? this.bounds.few : domain.window;
    return begun.length - hang < most && this.leavesRoom(standing, now, share);
  }

  /**
   * While as many attempts hang as half of the connections: whether one more of such a domain leaves room for those that answer. There are
   * twice as many places as connections then. Where no more connections are to be had, all would be taken before the first is seen to hang,
   * so there it is asked also if as many hung lately.
   */
  private leavesRoom(standing: Standing, now: number, share: Share): boolean {
    if (standing === 'proven') return true;
    const { hanging, ofSuspects, ofUnknown } = this.census(now)[share];
    const manyHang = hanging >= this.bounds.half;
    if (manyHang) this.manyHungAt = now;
    const isWary = this.bounds.bearsFew && Math.abs(now - this.manyHungAt) <= WARY_MS;
    if (!manyHang && !isWary) return true;
    if (standing === 'suspect' && ofSuspects >= this.bounds.half) return false;
    return ofSuspects + ofUnknown < this.bounds.mostUnproven[share];
  }

  private census(now: number): Censuses {
    if (this.lastCensus?.at === now) return this.lastCensus;
    const after = this.slowAfter();
    const census = { at: now, stuck: 0, urgent: newCensus(), others: newCensus() };
    for (const domain of this.busy) {
      const { urgent, others } = domain.begun;
      census.stuck += hanging(urgent, after, now) + hanging(others, after, now);
      count(census.urgent, domain, countedFor('urgent', domain, now), after, now);
      count(census.others, domain, countedFor('others', domain, now), after, now);
    }
    return (this.lastCensus = census);
  }

  private slowAfter(): number {
    return Math.max(MIN_SLOW_MS, SLOW_FACTOR * (this.usualMs ?? 0));
  }

  private domain(name: string, now: number): Domain {
    const known = this.domains.get(name);
    const { domainRates } = this.limits;
    const rate = known ? undefined : (domainRates.get(name) ?? domainRates.get('*'));
    const bucket = rate === undefined ? undefined : new TokenBucket(rate);
    const domain = known ?? newDomain(bucket);
    this.domains.delete(name);
    this.domains.set(name, domain);
    if (this.domains.size > MAX_REMEMBERED_DOMAINS) this.forget(now);
    return domain;
  }

  private forget(now: number): void {
    for (const [name, domain] of this.domains) {
      if (countBegun(domain) > 0) continue;
      const { bucket } = domain;
      const isLimited = bucket !== undefined && !bucket.isFull(now) && this.domains.size <= MAX_LIMITED_DOMAINS;
      if (!isLimited) this.domains.delete(name);
      // Of the domains without a rate of their own, those behind it used theirs later.
      if (!isLimited || !this.limits.domainRates.has(name)) return;
    }
  }
}

function newDomain(bucket: TokenBucket | undefined): Domain {
  const begun = { urgent: [], others: [] };
  return { begun, window: INITIAL_WINDOW, slow: false, answeredAt: -Infinity, bucket };
}

function newCensus(): Census {
  return { hanging: 0, ofSuspects: 0, ofUnknown: 0 };
}

/** Counts the attempts of a domain that began at these times. */
function count(census: Census, domain: Domain, begun: number[], after: number, now: number): void {
  const hang = hanging(begun, after, now);
  const standing = standingOf(domain, begun, hang, after);
  census.hanging += hang;
  if (standing === 'suspect') census.ofSuspects += begun.length;
  if (standing === 'unknown') census.ofUnknown += begun.length;
}

function shareOf(isUrgent: boolean): Share {
  return isUrgent ? 'urgent' : 'others';
}

function countBegun({ begun }: Domain): number {
  return begun.urgent.length + begun.others.length;
}

/** When the attempts began that count for those of this share: of a domain that lets nothing through, those of both. */
function countedFor(share: Share, { begun, answeredAt }: Domain, now: number): number[] {
  return now - answeredAt <= LETS_THROUGH_MS ? begun[share] : [...begun.urgent, ...begun.others];
}

/** How many of the attempts that began at these times have taken longer than `after` milliseconds. */
function hanging(begun: number[], after: number, now: number): number {
  let count = 0;
  for (const at of begun) if (now - at > after) count += 1;
  return count;
}

/** Hanging attempts say nothing about a domain that has ended others in good time since. */
function isSilent({ answeredAt }: Domain, begun: number[], hang: number, after: number): boolean {
  return hang > 0 && answeredAt - Math.min(...begun) <= after;
}

function standingOf(domain: Domain, begun: number[], hang: number, after: number): Standing {
  if (domain.slow || isSilent(domain, begun, hang, after)) return 'suspect';
  return domain.answeredAt === -Infinity ? 'unknown' : 'proven';
}

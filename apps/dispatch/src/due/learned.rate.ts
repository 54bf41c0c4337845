import { DecayingRate } from './decaying.rate';
import { RecentAnswers, type HopAnswer } from './recent.answers';

/** Throttled attempts among the last answers that show that it is too much: while no rate is learned, and while one is. */
const MIN_THROTTLED_AT_FIRST = 4;
const MIN_THROTTLED = 2;
/** If this part of them is throttled, and so many, it is too much in any case. */
const MOST = 0.75;
const MIN_OF_MOST = 8;
/** If this part of them is put off, and so many, for whatever reason, the hop can take nothing. */
const NEARLY_ALL = 0.9;
const MIN_OF_NEARLY_ALL = 12;
/** This part of the mails a second that the hop took is tried next. */
const BACK_OFF = 0.85;
/** While mail waits for it, the rate grows by this part a second; up to what the hop may well take, it quadruples. */
const GROWTH = 0.03;
const FAST_GROWTH = 3;
/** A hop that takes nothing for now is asked this often: once in five seconds. */
const LEAST_RATE = 0.2;
/** How much is taken at a rate shows after this time. */
const SETTLING_MS = 1_000;
/** Attempts of this time may begin at once: timers and the store are no more exact. */
const BURST_MS = 20;
/** What the hop takes is not exceeded again before this time and so many answers: the rate grows from `BACK_OFF` of it. */
const TOO_SOON_MS = 6_000;
const TOO_FEW_ANSWERS = 12;
/** Lowered so often in a row, each time too soon or after too few answers, the rate was not why: it may be anything for a while. */
const MOST_TOO_SOON = 8;
const MOST_TOO_FEW = 4;
const IN_VAIN_MS = 60_000;
/** Once the hop has put nothing off for so long, it may be sent as much as it takes. */
const FORGET_AFTER_MS = 15 * 60_000;

/**
 * How many attempts a second the hop takes, learned from its answers that we send too fast, or that it can take nothing for now. Trying
 * everything at that hop would spend an attempt of each waiting mail, urgent ones among them, and bring none of them there sooner. The rate
 * is a little less than what was taken, grows while mail waits for it, and is lowered again: TCP shares a link with others in the same way.
 * It has no clock: callers pass times, in milliseconds. ADR 21 has the reasons.
 */
export class LearnedRate {
  /** Attempts a second; Infinity while the hop takes all. */
  private rate = Infinity;
  /** Those since the rate was lowered. */
  private readonly answers = new RecentAnswers();
  /** Mails a second that were not put off. */
  private readonly taken = new DecayingRate(SETTLING_MS);
  private readonly takenInMinute = new DecayingRate(60_000);
  /** What the hop may well take, in mails a second. */
  private likely = 0;
  private putOffAt = -Infinity;
  /** Mails taken since the rate was lowered. */
  private takenSince = 0;
  private loweredAt = -Infinity;
  /** How often it was lowered in a row too soon, and after too few answers. */
  private tooSoon = 0;
  private tooFew = 0;
  private inVainAt = -Infinity;
  private grownAt = 0;
  /** An attempt last had to wait at this time. */
  private waitedAt = -Infinity;
  /** The next attempt may begin at this time. */
  private nextAt = 0;

  /** Attempts a second that may begin; undefined if as many as the hop takes. */
  perSecond(now: number): number | undefined {
    if (now - this.putOffAt > FORGET_AFTER_MS) this.rate = Infinity;
    return this.rate === Infinity ? undefined : this.rate;
  }

  /** Milliseconds until an attempt may begin; 0 if it may now. */
  waitMs(now: number): number {
    const rate = this.perSecond(now);
    if (rate === undefined) return 0;
    // After the clock was set back, it would be far away.
    this.nextAt = Math.min(this.nextAt, now + 1_000 / rate);
    const wait = Math.max(0, Math.ceil(this.nextAt - now));
    if (wait > 0) this.waitedAt = now;
    return wait;
  }

  /** An attempt begins. */
  take(now: number): void {
    const rate = this.perSecond(now);
    if (rate !== undefined) this.nextAt = Math.max(this.nextAt, now - BURST_MS) + 1_000 / rate;
  }

  /** An attempt has ended. */
  answered(answer: HopAnswer): void {
    const { hop, begun, at: now } = answer;
    if (hop) this.putOffAt = now;
    else {
      this.taken.add(now);
      this.takenInMinute.add(now);
    }
    // What began at another rate says nothing about this one.
    if (begun <= this.loweredAt && now >= this.loweredAt) return;
    this.answers.add(answer);
    if (hop) {
      if (this.isTooMuch(now)) this.lower(now);
    } else {
      this.takenSince += 1;
      this.grow(now);
    }
  }

  private grow(now: number): void {
    const rate = this.perSecond(now);
    if (rate === undefined) return;
    const isWanted = now - this.waitedAt <= SETTLING_MS + 1_000 / rate;
    const seconds = Math.min(Math.max(0, now - this.grownAt), SETTLING_MS) / 1_000;
    this.grownAt = now;
    if (isWanted) this.rate *= (1 + (rate < this.likely ? FAST_GROWTH : GROWTH)) ** seconds;
  }

  /** Whether the hop itself takes no more. */
  private isTooMuch(now: number): boolean {
    if (this.answers.areOfOneDomain(now)) return false;
    const putOff = this.answers.putOff(now);
    if (putOff.count >= MIN_OF_NEARLY_ALL && putOff.share >= NEARLY_ALL) return true;
    const { count, share } = this.answers.throttled(now);
    if (Math.abs(now - this.inVainAt) < IN_VAIN_MS) return count >= MIN_OF_MOST && share >= MOST;
    return count >= (this.rate === Infinity ? MIN_THROTTLED_AT_FIRST : MIN_THROTTLED);
  }

  private lower(now: number): void {
    if (now >= this.loweredAt && now - this.loweredAt < SETTLING_MS) return;
    const rate = this.perSecond(now) ?? Infinity;
    const { share } = this.answers.putOff(now);
    if (share < MOST && this.countInARow(now)) {
      this.inVainAt = now;
      this.likely = Infinity;
      return;
    }
    if (rate === Infinity || this.answers.throttled(now).count === 0) this.likely = Infinity;
    else if (share < 1) this.likely = 0;
    else if (rate > LEAST_RATE) this.likely = BACK_OFF * this.takenInMinute.value(now);
    this.rate = Math.max(LEAST_RATE, BACK_OFF * Math.min(rate, this.takenPerSecond(now)));
    this.loweredAt = now;
    this.takenSince = 0;
    this.grownAt = now;
    this.nextAt = now + 1_000 / this.rate;
    this.answers.clear();
  }

  /** Lately. If the rate was lowered a moment ago, what was taken before tells less. */
  private takenPerSecond(now: number): number {
    const lately = this.taken.value(now);
    const ms = now - this.loweredAt;
    const isNew = ms > 0 && ms < TOO_SOON_MS && this.answers.size >= TOO_FEW_ANSWERS;
    return isNew ? Math.min(lately, (this.takenSince * 1_000) / ms) : lately;
  }

  /** Returns whether as much as before is throttled, although the rate was lowered again and again: then that is not why. */
  private countInARow(now: number): boolean {
    const afterFew = this.answers.size < TOO_FEW_ANSWERS;
    const isSoon = afterFew || Math.abs(now - this.loweredAt) < TOO_SOON_MS;
    this.tooFew = afterFew ? this.tooFew + 1 : 0;
    this.tooSoon = isSoon ? this.tooSoon + 1 : 0;
    if (this.tooSoon <= MOST_TOO_SOON && this.tooFew <= MOST_TOO_FEW) return false;
    this.tooSoon = 0;
    this.tooFew = 0;
    return true;
  }
}

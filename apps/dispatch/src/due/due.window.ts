import { PRIORITIES, type DueDelivery, type PriorityRank } from '../deliveries/deliveries.store';

/** Deliveries that are held up by their domains, or that others may overtake, are looked at again at least this often. */
export const MAX_WINDOW_AGE_MS = 1_000;

/** What happens to a waiting delivery: it has left, it keeps waiting, or (`full`) no further one may go now. */
export type SiftVerdict = 'left' | 'waits' | 'full';

/**
 * The head of a lane as it was last read, in the order in which deliveries go. It has no store and no clock: callers pass what was read,
 * and times.
 */
export class DueWindow {
  /** No further delivery is due before this time, in milliseconds since the epoch. */
  nextAt = 0;
  /** No delivery that was read may go before this time, because of a rate. */
  heldUntil = 0;
  /** Nothing else was due when it was last read. */
  private whole = false;
  private readAt = 0;
  /** How many deliveries the last read asked for. */
  private readSize = 0;
  private shared = false;
  /** The most urgent rank of the deliveries that came in since the last read began. */
  private mostUrgentArrival = Infinity;

  constructor(private waiting: DueDelivery[] = []) {}

  get length(): number {
    return this.waiting.length;
  }

  get isWhole(): boolean {
    return this.whole;
  }

  /** Other replicas take from its head as well: the next read begins elsewhere. */
  get isShared(): boolean {
    return this.shared;
  }

  /** The earliest time at which one of its deliveries may go. */
  get mayGoAt(): number {
    return this.waiting.length > 0 ? this.heldUntil : this.nextAt;
  }

  /** The domains of the deliveries that wait in it. */
  domains(): Set<string> {
    return new Set(this.waiting.map(({ domain }) => domain));
  }

  /** A read begins: deliveries that come in from now on may be missing from its result. */
  beginRead(): void {
    this.mostUrgentArrival = Infinity;
  }

  /**
   * `due` is what was due at `now`, of up to `limit` asked for; `whole` if that was all. It is dropped, to be read again, if a delivery came
   * in meanwhile that goes before some of it.
   */
  endRead(due: DueDelivery[], whole: boolean, now: number, limit: number): void {
    this.waiting = (due.at(-1)?.priority ?? 0) > this.mostUrgentArrival ? [] : due;
    this.heldUntil = 0;
    this.whole = whole && this.mostUrgentArrival === Infinity;
    this.readAt = now;
    this.readSize = limit;
    this.shared = false;
  }

  /**
   * How many deliveries to read next: twice as many as before if those were used up within a moment and were not all, or if the lane is
   * shared; otherwise `min`.
   */
  nextReadSize(min: number, max: number, now: number): number {
    const more = this.shared || (!this.whole && this.isFresh(now));
    return more ? Math.min(Math.max(this.readSize * 2, min), max) : min;
  }

  /** Other replicas took some of it: the rest of what was read may be taken as well. */
  noteContended(): void {
    this.waiting = [];
    this.markStale();
    this.readAt = 0;
    this.shared = true;
  }

  /** A further delivery of this rank is due. If it goes before some that wait here, the window is dropped and true is returned. */
  noteInserted(rank: PriorityRank): boolean {
    const overtakes = (this.waiting.at(-1)?.priority ?? 0) > rank;
    this.mostUrgentArrival = Math.min(this.mostUrgentArrival, rank);
    if (overtakes) this.waiting = [];
    this.whole = false;
    return overtakes;
  }

  /** More may be due than is known here. */
  markStale(): void {
    this.whole = false;
    this.nextAt = 0;
    this.heldUntil = 0;
  }

  /** A delivery will be due at that time, unless another is due earlier. */
  expect(dueAt: number): void {
    this.nextAt = Math.min(this.nextAt, dueAt);
  }

  takeAll(): DueDelivery[] {
    return this.waiting.splice(0);
  }

  /** Asks for each delivery in turn whether it goes; returns true if the answer was `full`. */
  sift(ask: (one: DueDelivery) => SiftVerdict): boolean {
    const left: DueDelivery[] = [];
    for (const [index, one] of this.waiting.entries()) {
      const sifted = ask(one);
      if (sifted === 'full') {
        this.waiting = [...left, ...this.waiting.slice(index)];
        return true;
      }
      if (sifted === 'waits') left.push(one);
    }
    this.waiting = left;
    return false;
  }

  /** Whether a more urgent delivery than some that wait here may have fallen due since it was read. */
  mayBeOvertaken(now: number): boolean {
    return (this.waiting.at(-1)?.priority ?? PRIORITIES.high) > PRIORITIES.high && !this.isFresh(now);
  }

  /** Whether it was read a moment ago. */
  isFresh(now: number): boolean {
    return now - this.readAt < MAX_WINDOW_AGE_MS;
  }

  /** Whether all that waits is held up, nothing else was due a moment ago, and nothing is known to have fallen due since. */
  isHeldUp(now: number): boolean {
    return this.length > 0 && this.whole && this.isFresh(now) && !this.hasFallenDue(now);
  }

  /** Whether everything that was due has gone, and nothing has fallen due since. */
  isDrained(now: number): boolean {
    return this.length === 0 && this.whole && now < this.nextAt;
  }

  /** Whether everything that was due a moment ago has gone, and nothing is known to have fallen due since. */
  isUsedUp(now: number): boolean {
    return this.length === 0 && this.whole && this.isFresh(now) && !this.hasFallenDue(now);
  }

  /**
   * It is unknown what has fallen due since this time. For an empty window it is the start of the last read, whose result lacks what fell
   * due during it.
   */
  unknownSince(now: number): number {
    return this.length === 0 ? this.readAt : now;
  }

  private hasFallenDue(now: number): boolean {
    return this.nextAt > this.readAt && now >= this.nextAt;
  }
}

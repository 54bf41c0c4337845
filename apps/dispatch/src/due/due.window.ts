import type { DueDelivery, PriorityRank } from '../deliveries/deliveries.store';

/** What is held up by its domain is looked at again at least this often. */
export const FRESH_MS = 1_000;

/** What becomes of one that waits: it has left, it goes on waiting, or nobody else may go now either. */
export type Sifted = 'left' | 'waits' | 'full';

/** The head of a lane as it was read last, in the order in which it goes. No store and no clock: what was read comes in, and times. */
export class DueWindow {
  /** Nothing is due before; milliseconds since the epoch. */
  nextAt = 0;
  /** Nothing else was due when it was read. */
  private whole = false;
  private readAt = 0;
  /** How much it was read for. */
  private size = 0;
  private shared = false;
  /** The first rank of what came in since its reading began. */
  private cameIn = Infinity;

  constructor(private waiting: DueDelivery[] = []) {}

  get length(): number {
    return this.waiting.length;
  }

  get isWhole(): boolean {
    return this.whole;
  }

  /** Others take from its head as well: the next reading begins elsewhere. */
  get isShared(): boolean {
    return this.shared;
  }

  /** It is about to be read: what comes in from here on may not be among what is found. */
  begin(): void {
    this.cameIn = Infinity;
  }

  /** What was due at `now`, of up to `size` asked for; `whole` where that is all. It is read again for what came in and goes before some of it. */
  read(due: DueDelivery[], whole: boolean, now: number, size: number): void {
    this.waiting = (due.at(-1)?.priority ?? 0) > this.cameIn ? [] : due;
    this.whole = whole && this.cameIn === Infinity;
    this.readAt = now;
    this.size = size;
    this.shared = false;
  }

  /** How much of it to read next: twice as much as before of what was used up within a moment and was not all, or is shared. */
  sizeNext(least: number, most: number, now: number): number {
    const more = this.shared || (!this.whole && this.isFresh(now));
    return more ? Math.min(Math.max(this.size * 2, least), most) : least;
  }

  /** Others took some of it: what else was read may be theirs too. */
  contended(): void {
    this.waiting = [];
    this.stale();
    this.readAt = 0;
    this.shared = true;
  }

  /** Something of this rank is due besides. Where it goes before some that wait here all is read again: then true. */
  inserted(rank: PriorityRank): boolean {
    const overtakes = (this.waiting.at(-1)?.priority ?? 0) > rank;
    this.cameIn = Math.min(this.cameIn, rank);
    if (overtakes) this.waiting = [];
    this.whole = false;
    return overtakes;
  }

  /** More may be due than it tells. */
  stale(): void {
    this.whole = false;
    this.nextAt = 0;
  }

  /** One will be due at that time, if not another before. */
  expect(dueAt: number): void {
    this.nextAt = Math.min(this.nextAt, dueAt);
  }

  takeAll(): DueDelivery[] {
    return this.waiting.splice(0);
  }

  /** Asks of each in turn whether it goes; true when `full` was said. */
  sift(ask: (one: DueDelivery) => Sifted): boolean {
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

  /** It was read a moment ago. */
  isFresh(now: number): boolean {
    return now - this.readAt < FRESH_MS;
  }

  /** What waits is held up, and nothing else was due a moment ago. */
  isHeldUp(now: number): boolean {
    return this.length > 0 && this.whole && this.isFresh(now);
  }

  /** All that was due has gone, and nothing has fallen due since. */
  isOver(now: number): boolean {
    return this.length === 0 && this.whole && now < this.nextAt;
  }

  /** What has fallen due since then is not known: from the reading on, as what did while it was under way is in neither. */
  unknownSince(now: number): number {
    return this.length === 0 ? this.readAt : now;
  }
}

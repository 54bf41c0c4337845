import type { Clock } from '@lettermill/runtime';
import { isOverload, type Transaction } from '../smtp/smtp.transaction';
import {
  capWindow,
  connectionsOf,
  connectionsWith,
  growWindow,
  halveWindow,
  isTight,
  mostConnections,
  newWindow,
  carryingWindow,
  refuseWindow,
  restLeft,
  type HopWindow,
  type Standing,
} from './hop.window';

/** Additional connections that only urgent mails may use, so that they never wait for others. */
export const EXTRA_FOR_URGENT = 2;
/** After a mail was refused on a new connection, refusals on others count for this long. */
const BUSY_MS = 30_000;

/** How many connections to the hop there may be: as many as it bears (`HopWindow`), and some for attempts that must not wait for others. */
export class HopLimits {
  private learned: HopWindow;
  private extra = 0;
  /** When the hop last refused a mail for now on a connection that had carried none. */
  private refusedNewAt = -Infinity;

  constructor(
    private readonly maxConnections: number,
    private readonly now: Clock,
  ) {
    this.learned = newWindow(maxConnections);
  }

  /** The hop refused mails lately on new connections, too: it is not that it takes only so many on each. */
  get isBusy(): boolean {
    const now = this.now();
    return now >= this.refusedNewAt && now - this.refusedNewAt < BUSY_MS;
  }

  /** How many the hop is assumed to bear. */
  window(): number {
    return connectionsOf(this.learned, this.now());
  }

  /** How many it bears with those for attempts that must not wait for others, as far as is known; twice the window at most. */
  most(): number {
    return mostConnections(this.learned, this.now());
  }

  /** While the hop refuses more connections, not even an urgent mail gets one in addition to those it bears. */
  connections(urgent: boolean): number {
    return connectionsWith(this.extra + (urgent ? EXTRA_FOR_URGENT : 0), this.learned, this.now());
  }

  /** Connections in addition to the window; returns whether they are more than before. */
  allowExtra(count: number): boolean {
    const isMore = count > this.extra;
    this.extra = count;
    return isMore;
  }

  /** The hop answered a mail whose attempt began at `began`; `isNew`: its connection had carried none before. */
  answered(transaction: Transaction, began: number, isNew: boolean): void {
    const now = this.now();
    const isTooMuch = isOverload(transaction);
    if (isTooMuch && isNew) this.refusedNewAt = now;
    this.learned = isTooMuch ? halveWindow(this.learned, began, now) : growWindow(this.learned, now);
  }

  /** The hop refused a connection in addition to these, which we began to open at `began`. */
  refusedMoreThan(standing: Standing, began: number): void {
    this.learned = capWindow(this.learned, standing, began, this.now());
  }

  /** A connection that we began to open at `began` carried its first mail, and `standing` carry mails now. */
  carries(standing: number, began: number): void {
    this.learned = carryingWindow(this.learned, standing, began);
  }

  /** Milliseconds until more connections may be tried than now; not positive if they may. */
  restLeft(): number {
    return restLeft(this.learned, this.now());
  }

  /** Whether the hop is at its limit, so that connections that are not closed yet count. */
  get isTight(): boolean {
    return isTight(this.learned);
  }

  /** No connection is open and none could be opened. A hop that is down says nothing about how much it will bear when it is back. */
  openingFailed(hasReply: boolean, began: number): void {
    this.learned = hasReply ? refuseWindow(this.learned, began, this.now()) : newWindow(this.maxConnections);
  }
}

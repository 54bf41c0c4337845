import type { Clock } from '@lettermill/runtime';
import { isOverload, type Transaction } from '../smtp/smtp.transaction';
import { capWindow, connectionsOf, growWindow, halveWindow, isResting, newWindow, type HopWindow } from './hop.window';

/** Additional connections that only urgent mails may use, so that they never wait for others. */
export const EXTRA_FOR_URGENT = 2;

/** How many connections to the hop there may be: as many as it bears (`HopWindow`), and some for attempts that must not wait for others. */
export class HopLimits {
  private learned: HopWindow;
  private extra = 0;

  constructor(
    private readonly maxConnections: number,
    private readonly now: Clock,
  ) {
    this.learned = newWindow(maxConnections);
  }

  /** How many the hop is assumed to bear. */
  window(): number {
    return connectionsOf(this.learned, this.now());
  }

  /** While the hop refuses more connections, not even an urgent mail gets an additional one. */
  connections(urgent: boolean): number {
    const extra = this.extra + (urgent ? EXTRA_FOR_URGENT : 0);
    return this.window() + (isResting(this.learned, this.now()) ? 0 : extra);
  }

  /** Connections in addition to the window; returns whether they are more than before. */
  allowExtra(count: number): boolean {
    const isMore = count > this.extra;
    this.extra = count;
    return isMore;
  }

  /** The hop answered a mail whose attempt began at `began`. */
  answered(transaction: Transaction, began: number): void {
    const now = this.now();
    this.learned = isOverload(transaction) ? halveWindow(this.learned, began, now) : growWindow(this.learned, now);
  }

  /** The hop refused a connection in addition to `standing` ones. */
  refusedMoreThan(standing: number): void {
    this.learned = capWindow(this.learned, standing, this.now());
  }

  /** No connection is open and none could be opened. A hop that is down says nothing about how much it will bear when it is back. */
  openingFailed(hasReply: boolean, began: number): void {
    this.learned = hasReply ? halveWindow(this.learned, began, this.now()) : newWindow(this.maxConnections);
  }
}

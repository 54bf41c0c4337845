import type { Clock } from '@lettermill/runtime';
import { isOverload, type Transaction } from '../smtp/smtp.transaction';
import { capWindow, connectionsOf, growWindow, halveWindow, isResting, newWindow, type HopWindow } from './hop.window';

/** How many connections to the hop there may be: as many as it bears (`HopWindow`), and some for attempts that must not wait for others. */
export class HopLimits {
  private learned: HopWindow;
  private extra = { ofAll: 0, ofUrgent: 0 };

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
    const { ofAll, ofUrgent } = this.extra;
    return this.window() + (isResting(this.learned, this.now()) ? 0 : ofAll + (urgent ? ofUrgent : 0));
  }

  /** Connections in addition to the window; returns whether all mails get more of them than before. */
  allowExtra(ofAll: number, ofUrgent: number): boolean {
    const isMore = ofAll > this.extra.ofAll;
    this.extra = { ofAll, ofUrgent };
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

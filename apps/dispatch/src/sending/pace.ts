import { smoothed } from '../due/smoothed';

/** The hop is quick while a mail takes it less than this. */
const QUICK_MS = 150;
/** The same if the next mail may ride behind it: two round trips to the other side of the world. */
const QUICK_RIDING_MS = 600;
/** At most this many claims wait per connection: a crash may leave as many more attempts unknown. */
const MAX_CLAIMS_AHEAD = 3;

/**
 * Measures how long the hop takes per mail and the store per claim, and so how much is to be claimed ahead. It has no clock: callers pass
 * durations.
 */
export class Pace {
  private mailMs: number | undefined;
  private claimMs: number | undefined;

  /** The hop took this many milliseconds for a mail. */
  noteMail(ms: number): void {
    this.mailMs = smoothed(this.mailMs, ms);
  }

  /** The store took this many milliseconds for a claim. */
  noteClaim(ms: number): void {
    this.claimMs = smoothed(this.claimMs, ms);
  }

  /** `riding`: a mail may ride, that is, be sent behind the previous one on the same connection. */
  isQuick(riding: boolean): boolean {
    return (this.mailMs ?? Infinity) < (riding ? QUICK_RIDING_MS : QUICK_MS);
  }

  /** How many claims per connection are to be made ahead: as many as are sent while the store makes the next claim. */
  claimsAhead(riding: boolean): number {
    if (!this.isQuick(riding)) return 0;
    const mails = (this.claimMs ?? 0) / Math.max(this.mailMs ?? 0, 1);
    return Math.min(Math.max(Math.round(mails), 1), MAX_CLAIMS_AHEAD);
  }
}

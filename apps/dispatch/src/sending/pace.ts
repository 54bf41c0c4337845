const WEIGHT = 0.05;
/** The hop is quick while a mail takes it less than this. */
const QUICK_MS = 150;
/** The same if the next mail may ride behind it: two round trips to the other side of the world. */
const QUICK_RIDING_MS = 600;
/** At most this many claims wait per connection: a crash may leave as many more attempts unknown. */
const MOST_AHEAD = 3;

/**
 * Measures how long the hop takes per mail and the store per claim, and so how much is to be claimed ahead. It has no clock: callers pass
 * durations.
 */
export class Pace {
  private mail: number | undefined;
  private claim: number | undefined;

  /** The hop took this many milliseconds for a mail. */
  spoke(ms: number): void {
    this.mail = smoothed(this.mail, ms);
  }

  /** The store took this many milliseconds for a claim. */
  claimed(ms: number): void {
    this.claim = smoothed(this.claim, ms);
  }

  /** `riding`: a mail may ride, that is, be sent behind the previous one on the same connection. */
  quick(riding: boolean): boolean {
    return (this.mail ?? Infinity) < (riding ? QUICK_RIDING_MS : QUICK_MS);
  }

  /** How many claims per connection are to be made ahead: as many as are sent while the store makes the next claim. */
  ahead(riding: boolean): number {
    if (!this.quick(riding)) return 0;
    const mails = (this.claim ?? 0) / Math.max(this.mail ?? 0, 1);
    return Math.min(Math.max(Math.round(mails), 1), MOST_AHEAD);
  }
}

function smoothed(usual: number | undefined, ms: number): number {
  return usual === undefined ? ms : usual + WEIGHT * (ms - usual);
}

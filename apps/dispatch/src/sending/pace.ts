const WEIGHT = 0.05;
/** The hop is quick while it is done with a mail in less than this. */
const QUICK_MS = 150;
/** Or, where the next mail goes out behind it, in less than this: two round trips to the other side of the world. */
const QUICK_RIDING_MS = 600;
/** Claims that wait for each connection, at most: so many more attempts may a crash leave unknown. */
const MOST_AHEAD = 3;

/** How long the hop takes for a mail, and the store for a claim; so how much is to be claimed ahead. No clock: durations come in. */
export class Pace {
  private mail: number | undefined;
  private claim: number | undefined;

  /** A mail was with the hop for so long. */
  spoke(ms: number): void {
    this.mail = smoothed(this.mail, ms);
  }

  /** Some were claimed, which took so long. */
  claimed(ms: number): void {
    this.claim = smoothed(this.claim, ms);
  }

  /** `riding`: a mail may go out behind the one before it, on the same connection. */
  quick(riding: boolean): boolean {
    return (this.mail ?? Infinity) < (riding ? QUICK_RIDING_MS : QUICK_MS);
  }

  /** So many claims for each connection go while the next ones are made. */
  ahead(riding: boolean): number {
    if (!this.quick(riding)) return 0;
    const mails = (this.claim ?? 0) / Math.max(this.mail ?? 0, 1);
    return Math.min(Math.max(Math.round(mails), 1), MOST_AHEAD);
  }
}

function smoothed(usual: number | undefined, ms: number): number {
  return usual === undefined ? ms : usual + WEIGHT * (ms - usual);
}

/**
 * Whether the next hop is worth trying. After a connection that could not be opened nothing is tried for a pause, 1 s doubling to
 * 30 s; then one attempt at a time, until one succeeds. Times are milliseconds; a clock that is set back ends the pause.
 */
export class HopHealth {
  private failures = 0;
  private doubted = false;
  private since = 0;
  private until = 0;

  constructor(private readonly pause: { first: number; longest: number }) {}

  succeeded(): void {
    this.failures = 0;
    this.doubted = false;
    this.until = 0;
  }

  /** True until it fails or is doubted, and again as soon as it succeeds. */
  get well(): boolean {
    return this.failures === 0 && !this.doubted;
  }

  /** It lets wait; answers whether that is new of it. */
  doubt(): boolean {
    const news = this.well;
    this.doubted = true;
    return news;
  }

  /** Answers how long the pause is. */
  failed(now: number): number {
    const length = Math.min(this.pause.first * 2 ** this.failures, this.pause.longest);
    this.failures += 1;
    this.since = now;
    this.until = now + length;
    return length;
  }

  resting(now: number): boolean {
    return now >= this.since && now < this.until;
  }
}

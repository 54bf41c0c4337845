/**
 * Whether the next hop is worth trying. After a connection that could not be opened, nothing is tried for a pause of 1 s, which doubles up
 * to 30 s; then one attempt at a time is made until one succeeds. Times are milliseconds; setting the clock back ends the pause.
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

  /** True until the hop fails or is doubted, and again as soon as it succeeds. */
  get well(): boolean {
    return this.failures === 0 && !this.doubted;
  }

  /** The hop is keeping us waiting; returns whether that is new. */
  doubt(): boolean {
    const news = this.well;
    this.doubted = true;
    return news;
  }

  /** Returns the length of the pause. */
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

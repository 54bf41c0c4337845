/**
 * Whether the next hop is worth trying. After a connection that could not be opened, nothing is tried for a pause of 1 s, which doubles up
 * to 30 s; then one attempt at a time is made until one succeeds. Times are milliseconds; setting the clock back ends the pause.
 */
export class HopHealth {
  private failures = 0;
  private doubted = false;
  /** The last failure was at a mail: that the hop lets us in does not mean that it is over. */
  private failedAtMail = false;
  private pausedAt = 0;
  private pausedUntil = 0;

  constructor(private readonly pause: { first: number; longest: number }) {}

  /** The hop let us in. */
  succeeded(): void {
    this.doubted = false;
    if (this.failedAtMail) return;
    this.failures = 0;
    this.pausedUntil = 0;
  }

  /** The hop answered a mail. */
  proved(): void {
    this.failedAtMail = false;
    this.succeeded();
  }

  /** True until the hop fails or is doubted, and again as soon as it succeeds. */
  get isUp(): boolean {
    return this.failures === 0 && !this.doubted;
  }

  /** The hop is keeping us waiting; returns whether that is new. */
  doubt(): boolean {
    const isNew = this.isUp;
    this.doubted = true;
    return isNew;
  }

  /** Returns how long nothing is tried. */
  failed(now: number, atMail = false): number {
    this.failedAtMail = atMail;
    const length = Math.min(this.pause.first * 2 ** this.failures, this.pause.longest);
    this.failures += 1;
    this.pausedAt = now;
    this.pausedUntil = now + length;
    return length;
  }

  isPaused(now: number): boolean {
    return now >= this.pausedAt && now < this.pausedUntil;
  }
}

/** How many a second there were lately: over about the last `spanMs` milliseconds. It has no clock: callers pass times. */
export class DecayingRate {
  private perSecond = 0;
  private at = 0;

  constructor(private readonly spanMs: number) {}

  add(now: number): void {
    this.perSecond = this.value(now) + 1_000 / this.spanMs;
    this.at = now;
  }

  value(now: number): number {
    return this.perSecond * Math.exp(-Math.max(0, now - this.at) / this.spanMs);
  }
}

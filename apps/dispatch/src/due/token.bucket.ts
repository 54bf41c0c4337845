/** Allows `rate` attempts a second; those of one second may all begin at once. */
export class TokenBucket {
  private tokens: number;
  private at = 0;

  constructor(private readonly rate: number) {
    this.tokens = this.capacity;
  }

  take(now: number): boolean {
    this.fill(now);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Milliseconds until one may begin; 0 if one may now. */
  waitMs(now: number): number {
    this.fill(now);
    return Math.max(0, Math.ceil(((1 - this.tokens) * 1000) / this.rate));
  }

  /** Whether it allows as much as if nothing had begun yet. */
  isFull(now: number): boolean {
    this.fill(now);
    return this.tokens === this.capacity;
  }

  private get capacity(): number {
    return this.rate === 0 ? 0 : Math.max(1, this.rate);
  }

  private fill(now: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + (Math.max(0, now - this.at) * this.rate) / 1000);
    this.at = now;
  }
}

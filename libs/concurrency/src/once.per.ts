/** So many texts are remembered; beyond that all are forgotten. */
const MAX_REMEMBERED = 100;

/** Lets each text pass once in an interval: for log lines about a fault that lasts. If the clock was set back, a text passes again. */
export class OncePer {
  private readonly passedAt = new Map<string, number>();

  /** `now` are the milliseconds of any clock. */
  constructor(
    private readonly intervalMs: number,
    private readonly now: () => number,
  ) {}

  /** Whether any text has passed since the last `clear`. */
  get hasPassed(): boolean {
    return this.passedAt.size > 0;
  }

  /** `intervalMs` may be another for this call. */
  passes(text: string, intervalMs = this.intervalMs): boolean {
    const at = this.now();
    const before = this.passedAt.get(text);
    if (before !== undefined && at >= before && at < before + intervalMs) return false;
    if (this.passedAt.size >= MAX_REMEMBERED) this.passedAt.clear();
    this.passedAt.set(text, at);
    return true;
  }

  clear(): void {
    this.passedAt.clear();
  }
}

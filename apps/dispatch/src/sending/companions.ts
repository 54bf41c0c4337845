/** Whoever is ready waits this long for the others, at most. */
const MOMENT_MS = 3;
/** Whoever is on the way for so long may be so for much longer: nobody waits for it any more. */
const LONG_MS = 1_000;

/**
 * Lets attempts that end at about the same time record their outcomes together: one commit carries what all connections did, and the
 * claims that follow. Nobody waits where nobody else is on the way.
 */
export class Companions {
  /** When they set out; the first first. */
  private readonly onTheWay = new Set<{ since: number }>();
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** Milliseconds of any clock. */
  constructor(private readonly now: () => number) {}

  /** Does the work; meanwhile those who are ready wait for it, a moment. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const one = { since: this.now() };
    this.onTheWay.add(one);
    try {
      return await work();
    } finally {
      this.onTheWay.delete(one);
      // A turn later: whoever came back from its work waits by then.
      queueMicrotask(() => this.waiting.length > 0 && this.complete() && this.go());
    }
  }

  /** Resolves when nobody is on the way any more, or the moment has passed. */
  together(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.complete()) this.go();
      else this.timer ??= setTimeout(() => this.go(), MOMENT_MS);
    });
  }

  /** Nobody is on the way who is waited for. */
  private complete(): boolean {
    const long = this.now() - LONG_MS;
    for (const { since } of this.onTheWay) if (since > long) return false;
    return true;
  }

  private go(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

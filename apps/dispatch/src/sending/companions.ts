/** Whoever is ready waits this long for the others, at most. */
const MOMENT_MS = 3;

/**
 * Lets attempts that end at about the same time record their outcomes together: one commit carries what all connections did, and the
 * claims that follow. Nobody waits where nobody else is on the way.
 */
export class Companions {
  private onTheWay = 0;
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** Does the work; meanwhile those who are ready wait for it, a moment. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.onTheWay += 1;
    try {
      return await work();
    } finally {
      this.onTheWay -= 1;
      // A turn later: whoever came back from its work waits by then.
      queueMicrotask(() => this.onTheWay === 0 && this.go());
    }
  }

  /** Resolves when nobody is on the way any more, or the moment has passed. */
  together(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.onTheWay === 0) this.go();
      else this.timer ??= setTimeout(() => this.go(), MOMENT_MS);
    });
  }

  private go(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** An attempt that has ended waits at most this long for the others. */
const MAX_WAIT_MS = 3;
/** An attempt that has run for this long may run for much longer, so nobody waits for it any more. */
const LONG_ATTEMPT_MS = 1_000;

/**
 * Lets attempts that end at about the same time record their outcomes together: one commit carries the outcomes of all connections, and the
 * claims that follow. An attempt does not wait if no other is running.
 */
export class AttemptGrouping {
  /** The running attempts with their start times, in order of start. */
  private readonly running = new Set<{ since: number }>();
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** Milliseconds of any clock. */
  constructor(private readonly now: () => number) {}

  /** Runs `work`; attempts that end in the meantime wait for it for a moment. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    const one = { since: this.now() };
    this.running.add(one);
    try {
      return await work();
    } finally {
      this.running.delete(one);
      // In a microtask: by then the attempt that has just ended is waiting, too.
      queueMicrotask(() => this.waiting.length > 0 && this.isNoneWorthWaitingFor() && this.releaseAll());
    }
  }

  /** Resolves when no other attempt is worth waiting for, or the moment has passed. */
  waitForOthers(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.isNoneWorthWaitingFor()) this.releaseAll();
      else this.timer ??= setTimeout(() => this.releaseAll(), MAX_WAIT_MS);
    });
  }

  /** Whether no attempt is running that is worth waiting for. */
  private isNoneWorthWaitingFor(): boolean {
    const long = this.now() - LONG_ATTEMPT_MS;
    for (const { since } of this.running) if (since > long) return false;
    return true;
  }

  private releaseAll(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

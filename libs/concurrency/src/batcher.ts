interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** What one run takes at most. */
export interface BatchLimits<T> {
  items?: number;
  /** What its items may come to together. One that is over it by itself has a run of its own. */
  size?: { most: number; of(item: T): number };
}

const MOST_ITEMS = 500;

/**
 * Self-clocked batches: while one run is under way, what arrives waits and goes together in the next one. No timer:
 * an idle batcher adds no delay, a busy one pays one run for many callers. Where runs grow long with what
 * they carry, a limit of size keeps callers from all waiting for the same one, and then all coming back at once.
 */
export class Batcher<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private running = false;
  private idle: (() => void)[] = [];

  /** `run` answers one result per item, in order. When it rejects, every caller of that batch is rejected. */
  constructor(
    private readonly run: (items: T[]) => Promise<R[]>,
    private readonly limits: BatchLimits<T> = {},
  ) {}

  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) {
        this.running = true;
        // A turn later, so that callers of the same turn share the first run.
        queueMicrotask(() => void this.drain());
      }
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async settled(): Promise<void> {
    if (!this.running) return;
    await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.fitting());
      try {
        const results = await this.run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index]!));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    this.running = false;
    this.idle.splice(0).forEach((resolve) => resolve());
  }

  /** How many of those that wait go together. */
  private fitting(): number {
    const { items = MOST_ITEMS, size } = this.limits;
    const most = Math.min(items, this.waiting.length);
    if (!size) return most;
    let count = 0;
    for (let sum = 0; count < most; count += 1) {
      sum += size.of(this.waiting[count]!.item);
      if (sum > size.most && count > 0) break;
    }
    return count;
  }
}

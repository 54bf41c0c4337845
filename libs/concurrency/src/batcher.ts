interface WaitingItem<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Limits of one run. */
export interface BatchLimits<T> {
  items?: number;
  /** The sum that its items may reach. An item over the limit has a run of its own. */
  size?: { most: number; of(item: T): number };
}

const DEFAULT_MAX_ITEMS = 500;

/**
 * Self-clocked batches: while one run is in progress, items that arrive wait and share the next one. No timer: an idle
 * batcher adds no delay, a busy one makes one run for many callers. If runs take longer the more they carry, a size
 * limit keeps all callers from waiting for the same run, and then all coming back at once.
 */
export class Batcher<T, R> {
  private waiting: WaitingItem<T, R>[] = [];
  private running = false;
  private idleWaiters: (() => void)[] = [];

  /**
   * `run` resolves with one result per item, in order; `answer` gives an item its result before that. When it rejects,
   * every caller of that batch is rejected.
   */
  constructor(
    private readonly run: (items: T[], answer: (index: number, result: R) => void) => Promise<R[]>,
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
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.nextBatchSize());
      try {
        const items = batch.map(({ item }) => item);
        const results = await this.run(items, (index, result) => batch[index]!.resolve(result));
        batch.forEach(({ resolve }, index) => resolve(results[index]!));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    this.running = false;
    this.idleWaiters.splice(0).forEach((resolve) => resolve());
  }

  /** How many of the waiting items go together. */
  private nextBatchSize(): number {
    const { items = DEFAULT_MAX_ITEMS, size } = this.limits;
    const maxItems = Math.min(items, this.waiting.length);
    if (!size) return maxItems;
    let count = 0;
    for (let sum = 0; count < maxItems; count += 1) {
      sum += size.of(this.waiting[count]!.item);
      if (sum > size.most && count > 0) break;
    }
    return count;
  }
}

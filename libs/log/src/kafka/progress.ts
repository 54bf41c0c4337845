/** How far a reader has come, by partition; notifies those who wait for it. */
export class Progress {
  private readonly positions = new Map<number, number>();
  private watchers = new Set<() => void>();
  private hasEnded = false;

  /** Everything below `position` is handled. The position goes back when a topic was created anew. */
  reached(partition: number, position: number): void {
    this.positions.set(partition, position);
  }

  of(partition: number): number {
    return this.positions.get(partition) ?? 0;
  }

  /** Called after `reached`: makes those who wait look again. */
  notify(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  get ended(): boolean {
    return this.hasEnded;
  }

  /** Called when the reader hands out nothing more. */
  end(): void {
    this.hasEnded = true;
    this.notify();
  }

  /** Resolves at the next `notify` or `end`, or after `ms`. */
  waitForChange(ms: number): Promise<void> {
    if (this.hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const watcher = () => {
        clearTimeout(timer);
        this.watchers.delete(watcher);
        resolve();
      };
      const timer = setTimeout(watcher, ms);
      this.watchers.add(watcher);
    });
  }
}

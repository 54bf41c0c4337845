/** A caller that waits for room; `granted` resolves with false when the time is up, or after `leave` or `refuseAll`. */
export interface PendingGrant {
  granted: Promise<boolean>;
  leave(): void;
}

interface QueueEntry {
  amount: number;
  decide(granted: boolean): void;
}

/**
 * A semaphore of a given size, of which each caller takes an amount. A caller that finds too little room waits, and
 * none is admitted before those that came earlier.
 */
export class WeightedSemaphore {
  private readonly waiting = new Set<QueueEntry>();

  private taken = 0;

  /** `onChange` is called with the amount taken, whenever it changes. */
  constructor(
    private readonly size: number,
    private readonly onChange: (taken: number) => void = () => {},
  ) {}

  /** Whether anybody waits. */
  get hasWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Takes the amount if there is room at once; returns whether there was. */
  tryTake(amount: number): boolean {
    if (this.waiting.size > 0 || !this.fits(amount)) return false;
    this.changeTaken(amount);
    return true;
  }

  /** Waits behind all earlier callers, `ms` milliseconds at most. What is granted has to be given back. */
  wait(amount: number, ms: number): PendingGrant {
    let leave = () => {};
    const granted = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => leave(), ms);
      const entry = {
        amount,
        decide: (is: boolean) => {
          clearTimeout(timer);
          this.waiting.delete(entry);
          resolve(is);
        },
      };
      leave = () => {
        if (!this.waiting.has(entry)) return;
        entry.decide(false);
        // There may be room for those behind it, if they need less.
        this.admitWaiting();
      };
      this.waiting.add(entry);
    });
    return { granted, leave };
  }

  giveBack(amount: number): void {
    this.changeTaken(-amount);
    this.admitWaiting();
  }

  /** Turns away all that wait. */
  refuseAll(): void {
    for (const entry of this.waiting) entry.decide(false);
  }

  private admitWaiting(): void {
    for (const entry of this.waiting) {
      if (!this.fits(entry.amount)) return;
      this.changeTaken(entry.amount);
      entry.decide(true);
    }
  }

  private fits(amount: number): boolean {
    return amount <= this.size - this.taken;
  }

  private changeTaken(by: number): void {
    this.taken += by;
    this.onChange(this.taken);
  }
}

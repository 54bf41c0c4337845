/** A caller that waits for room; `granted` resolves with false when the time is up, or after `leave` or `refuse`. */
export interface Waiting {
  granted: Promise<boolean>;
  leave(): void;
}

interface Place {
  amount: number;
  decide(granted: boolean): void;
}

/**
 * A semaphore of a given size, of which each caller takes an amount. A caller that finds too little room waits, and
 * none is admitted before those that came earlier.
 */
export class WeightedSemaphore {
  private readonly waiting = new Set<Place>();

  private taken = 0;

  /** `told` is called with the amount taken, whenever it changes. */
  constructor(
    private readonly size: number,
    private readonly told: (taken: number) => void = () => {},
  ) {}

  /** Whether anybody waits. */
  get isCrowded(): boolean {
    return this.waiting.size > 0;
  }

  /** Takes the amount if there is room at once; returns whether there was. */
  take(amount: number): boolean {
    if (this.waiting.size > 0 || !this.fits(amount)) return false;
    this.change(amount);
    return true;
  }

  /** Waits behind all earlier callers, `ms` milliseconds at most. What is granted has to be given back. */
  wait(amount: number, ms: number): Waiting {
    let leave = () => {};
    const granted = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => leave(), ms);
      const place = {
        amount,
        decide: (is: boolean) => {
          clearTimeout(timer);
          this.waiting.delete(place);
          resolve(is);
        },
      };
      leave = () => {
        if (!this.waiting.has(place)) return;
        place.decide(false);
        // There may be room for those behind it, if they need less.
        this.admit();
      };
      this.waiting.add(place);
    });
    return { granted, leave };
  }

  give(amount: number): void {
    this.change(-amount);
    this.admit();
  }

  /** Turns away all that wait. */
  refuse(): void {
    for (const place of this.waiting) place.decide(false);
  }

  private admit(): void {
    for (const place of this.waiting) {
      if (!this.fits(place.amount)) return;
      this.change(place.amount);
      place.decide(true);
    }
  }

  private fits(amount: number): boolean {
    return amount <= this.size - this.taken;
  }

  private change(by: number): void {
    this.taken += by;
    this.told(this.taken);
  }
}

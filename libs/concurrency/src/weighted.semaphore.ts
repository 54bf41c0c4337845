/** One who waits for room; `granted` is false once it was too long, or after `leave`. */
export interface Waiting {
  granted: Promise<boolean>;
  leave(): void;
}

interface Place {
  amount: number;
  decide(granted: boolean): void;
}

/** A semaphore for so much at a time, of which each may take a part. Who finds too little waits, and nobody gets in before those that came earlier. */
export class WeightedSemaphore {
  private readonly waiting = new Set<Place>();

  private taken = 0;

  /** `told` is called with what is taken, whenever that changes. */
  constructor(
    private readonly size: number,
    private readonly told: (taken: number) => void = () => {},
  ) {}

  /** Whether anybody waits. */
  get isCrowded(): boolean {
    return this.waiting.size > 0;
  }

  /** Whether there was room at once. */
  take(amount: number): boolean {
    if (this.waiting.size > 0 || !this.fits(amount)) return false;
    this.change(amount);
    return true;
  }

  /** A place behind all that wait. What is granted is to be given back. */
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
        // Those behind it may find what was too little for it.
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

  /** Nobody who waits gets in any more. */
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

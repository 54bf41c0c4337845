import type { Clock } from '@lettermill/runtime';
import type { Progress } from './attempts';

/** What a claim that is led gives back. */
export interface Returns {
  /** Its turn at the hop, with which it spoke for so many milliseconds. */
  turn(ms: number): void;
  /** Its place among those under way. */
  place(): void;
}

/**
 * One claim, while it is led to its end. However it ends, and however often that is said, it gives back each thing once: its turn, if it
 * had one, when nothing more is said to the hop; its place when its outcome is on the way to the store, not only when that is recorded.
 */
export class LedClaim implements Progress {
  private speakingSince: number | undefined;
  private placed = true;
  /** Where its end tells nothing (a defect) it is not known when it is due again: it is looked for at once. */
  private dueAt: number | null = 0;

  constructor(
    private readonly now: Clock,
    private readonly returns: Returns,
  ) {}

  /** Its turn has come. */
  speaks(): void {
    this.speakingSince = this.now();
  }

  spoken(): void {
    if (this.speakingSince === undefined) return;
    const ms = this.now() - this.speakingSince;
    this.speakingSince = undefined;
    this.returns.turn(ms);
  }

  submitted(dueAt: number | null): void {
    if (!this.placed) return;
    this.placed = false;
    this.dueAt = dueAt;
    this.returns.place();
  }

  /** Nothing of it is left to do; answers when it is due again, null where it is not. */
  over(): number | null {
    this.spoken();
    this.submitted(this.dueAt);
    return this.dueAt;
  }
}

import type { Clock } from '@lettermill/runtime';
import type { HopState } from '../lifecycle/delivery';
import type { AttemptProgress } from './attempts';

/** What a claim gives back on the way to its end. */
export interface ClaimRelease {
  /** Its turn at the hop, which lasted `ms` milliseconds. */
  turn(ms: number): void;
  /** Its place among the deliveries under way, and what the attempt says about the hop. */
  place(hop: HopState | undefined): void;
}

/**
 * One claim on the way to its end. However it ends, and however often that is reported, it gives back each thing once: its turn, if it had
 * one, when nothing more is said to the hop; its place when its outcome is on the way to the store, before that is recorded.
 */
export class ClaimProgress implements AttemptProgress {
  private speakingSince: number | undefined;
  private hasPlace = true;
  private hop: HopState | undefined;
  /** When the delivery is due again. 0 unless its end says when (after a defect it does not): the queue then looks for it at once. */
  private dueAt: number | null = 0;

  constructor(
    private readonly now: Clock,
    private readonly release: ClaimRelease,
  ) {}

  /** Its turn has come. */
  turnBegan(): void {
    this.speakingSince = this.now();
  }

  turnEnded(hop?: HopState): void {
    if (this.speakingSince === undefined) return;
    this.hop = hop;
    const ms = this.now() - this.speakingSince;
    this.speakingSince = undefined;
    this.release.turn(ms);
  }

  submitted(dueAt: number | null): void {
    if (!this.hasPlace) return;
    this.hasPlace = false;
    this.dueAt = dueAt;
    this.release.place(this.hop);
  }

  /** Called when nothing is left to do; returns when the delivery is due again, null if it is not. */
  finish(): number | null {
    this.turnEnded();
    this.submitted(this.dueAt);
    return this.dueAt;
  }
}

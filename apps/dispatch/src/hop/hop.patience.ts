import { typical } from '../due/typical';

/** A connection is waited for this many times as long as most take to open, but at least 5 s. */
const FACTOR = 4;
const LEAST_USUAL_MS = 1_250;
/** How much longer each time that this was too short: a hop that has become slow must not wait for long. */
const GROWTH = 4;
/** How far a single connection moves what is usual. */
const STEP = 2;

/**
 * How long we wait for a connection to open. One of several servers behind an address may take connections and never greet: those that wait
 * for it for as long as a slow hop deserves would hold up all mail in the end. So a hop that is usually quick gets less time; but more
 * each time that a connection was given up, in case it has become slow. It has no clock: callers pass times.
 */
export class Patience {
  private usualMs: number | undefined;
  private timesLost = 0;
  private lostAt = -Infinity;

  /** `longest`: what any hop gets, in milliseconds. */
  constructor(private readonly longest: number) {}

  /** Undefined if the hop gets the longest time. */
  get ms(): number | undefined {
    const ms = FACTOR * (this.usualMs ?? Infinity) * GROWTH ** this.timesLost;
    return ms < this.longest ? ms : undefined;
  }

  opened(tookMs: number): void {
    this.usualMs = typical(this.usualMs, tookMs, LEAST_USUAL_MS, STEP);
    this.timesLost = 0;
  }

  /** A connection was given up that began to open at `began`. Those that were waited for at a time count once. */
  lost(began: number, now: number): void {
    if (began >= this.lostAt || now < this.lostAt) this.timesLost += 1;
    this.lostAt = now;
  }
}

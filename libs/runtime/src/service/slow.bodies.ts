import type { Readable } from 'node:stream';

const POLL_INTERVAL_MS = 1_000;
/** The speed of a body is measured over this time. */
const SPEED_WINDOW_MS = 5_000;

/** A body that is still arriving, as far as it matters here. */
export interface ArrivingBody {
  payload: Readable & { complete: boolean };
  /** Bytes that its connection has received so far. */
  bytesRead(): number;
  /** Whether others wait for room that it holds. */
  isInTheWay(): boolean;
  /** Its length in bytes, as far as known. */
  expected(): number;
  refuse(): void;
}

interface Measurement {
  at: number;
  bytes: number;
}

/**
 * Refuses bodies that hold room and arrive too slowly to be complete in time, once others wait for that room. While nobody waits, they
 * may be slow.
 */
export class SlowBodies {
  private readonly watched = new Map<ArrivingBody, Measurement | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private checkedAt = 0;

  /** A request must be complete within `wholeMs`. */
  constructor(private readonly wholeMs: number) {}

  /** Watches the body until `forget`. */
  watch(body: ArrivingBody): void {
    this.watched.set(body, undefined);
  }

  forget(body: ArrivingBody): void {
    this.watched.delete(body);
  }

  /** Somebody has to wait for room: checks the bodies regularly until none is in the way any more. */
  startChecking(): void {
    if (this.timer) return;
    for (const body of this.watched.keys()) this.watched.set(body, undefined);
    this.checkedAt = performance.now();
    this.timer = setInterval(() => this.check(performance.now()), POLL_INTERVAL_MS);
    this.timer.unref();
  }

  private check(now: number): void {
    const wasBlocked = now - this.checkedAt > 2 * POLL_INTERVAL_MS;
    this.checkedAt = now;
    let inTheWay = false;
    for (const [body, mark] of [...this.watched]) {
      if (!body.isInTheWay()) continue;
      inTheWay = true;
      if (body.payload.complete) continue;
      // If received bytes are still unread, or this process was blocked, the delay may be ours and not the client's.
      const isOurDelay = wasBlocked || body.payload.readableLength > 0;
      if (mark && !isOurDelay && now - mark.at < SPEED_WINDOW_MS) continue;
      const bytes = body.bytesRead();
      if (mark && !isOurDelay && bytes - mark.bytes < (body.expected() * (now - mark.at)) / this.wholeMs) body.refuse();
      else this.watched.set(body, { at: now, bytes });
    }
    if (inTheWay) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

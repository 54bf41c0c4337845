import type { Readable } from 'node:stream';

const LOOK_MS = 1_000;
/** The speed of a body is measured over this time. */
const WINDOW_MS = 5_000;

/** A body that is still arriving, as far as it matters here. */
export interface ComingBody {
  payload: Readable & { complete: boolean };
  /** Bytes that its connection has received so far. */
  bytesRead(): number;
  /** Whether others wait for room that it holds. */
  isInTheWay(): boolean;
  /** Its length in bytes, as far as known. */
  expected(): number;
  refuse(): void;
}

interface Mark {
  at: number;
  bytes: number;
}

/**
 * Refuses bodies that hold room and arrive too slowly to be complete in time, once others wait for that room. While nobody waits, they
 * may be slow.
 */
export class SlowBodies {
  private readonly coming = new Map<ComingBody, Mark | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;

  /** A request must be complete within `wholeMs`. */
  constructor(private readonly wholeMs: number) {}

  /** Watches the body until `forget`. */
  watch(body: ComingBody): void {
    this.coming.set(body, undefined);
  }

  forget(body: ComingBody): void {
    this.coming.delete(body);
  }

  /** Somebody has to wait for room: checks the bodies regularly until none is in the way any more. */
  look(): void {
    if (this.timer) return;
    for (const body of this.coming.keys()) this.coming.set(body, undefined);
    this.lookedAt = performance.now();
    this.timer = setInterval(() => this.judge(performance.now()), LOOK_MS);
    this.timer.unref();
  }

  private judge(now: number): void {
    const held = now - this.lookedAt > 2 * LOOK_MS;
    this.lookedAt = now;
    let inTheWay = false;
    for (const [body, mark] of [...this.coming]) {
      if (!body.isInTheWay()) continue;
      inTheWay = true;
      if (body.payload.complete) continue;
      // If received bytes are still unread, or this process was blocked, the delay may be ours and not the client's.
      const ours = held || body.payload.readableLength > 0;
      if (mark && !ours && now - mark.at < WINDOW_MS) continue;
      const bytes = body.bytesRead();
      if (mark && !ours && bytes - mark.bytes < (body.expected() * (now - mark.at)) / this.wholeMs) body.refuse();
      else this.coming.set(body, { at: now, bytes });
    }
    if (inTheWay) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

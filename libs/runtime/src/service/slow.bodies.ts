import type { Readable } from 'node:stream';

const LOOK_MS = 1_000;
/** What came within this tells how fast a body comes. */
const WINDOW_MS = 5_000;

/** A body that is still to come, as far as it matters here. */
export interface ComingBody {
  payload: Readable & { complete: boolean };
  /** Bytes that came over its connection so far. */
  bytesRead(): number;
  /** Whether others wait for room that it has. */
  isInTheWay(): boolean;
  /** Bytes that it has altogether, as far as is known. */
  expected(): number;
  refuse(): void;
}

interface Mark {
  at: number;
  bytes: number;
}

/**
 * Bodies that hold room and come so slowly that they could not be whole in time: they are refused once others wait for that room. While
 * nobody waits they may be as slow as any.
 */
export class SlowBodies {
  private readonly coming = new Map<ComingBody, Mark | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;

  /** A request must be whole within `wholeMs`. */
  constructor(private readonly wholeMs: number) {}

  /** From now on, until `forget`. */
  watch(body: ComingBody): void {
    this.coming.set(body, undefined);
  }

  forget(body: ComingBody): void {
    this.coming.delete(body);
  }

  /** Somebody has to wait: it is looked until nobody is in the way any more. */
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
      // What lies unread waits for us, and so it does where the process could not look for a while.
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

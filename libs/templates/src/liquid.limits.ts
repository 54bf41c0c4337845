/** What a rendering used up. */
export type Limit = 'time' | 'memory' | 'output';

/** A rendering passed one of its limits: the cause of a Liquid error, told by its class and not by its text. */
export class LimitPassed extends Error {
  readonly code = 'render_limit';
  constructor(
    readonly limit: Limit,
    message: string,
  ) {
    super(message);
  }
}

/** The shape of the limiters that Liquid asks as it goes. */
export interface Limiter {
  use(amount: unknown): void;
  check(amount: unknown): void;
}

/** Time is checked before every node: `check` is given the reading of the clock. */
class TimeLimiter implements Limiter {
  constructor(
    private readonly deadline: number,
    private readonly ms: number,
  ) {}

  use(): void {
    // Time is not used up in amounts.
  }

  check(now: unknown): void {
    if (Number(now) > this.deadline) throw new LimitPassed('time', `rendering takes longer than ${this.ms} ms`);
  }
}

/** Characters and array items that filters and captures make. */
class MemoryLimiter implements Limiter {
  private used = 0;
  constructor(private readonly limit: number) {}

  use(amount: unknown): void {
    this.used += Math.max(0, Number(amount) || 0);
    this.check(this.used);
  }

  check(amount: unknown): void {
    if (Number(amount) > this.limit) throw new LimitPassed('memory', 'rendering takes too much memory');
  }
}

export interface RenderLimits {
  /** Milliseconds for all parts of one message together. */
  messageMs: number;
  /** Characters and array items made while one message is rendered. */
  memory: number;
  /** UTF-8 bytes of each finished part. */
  outputBytes: number;
}

export const RENDER_LIMITS: RenderLimits = { messageMs: 250, memory: 10_000_000, outputBytes: 2 * 1024 * 1024 };

/** What one message may spend; shared by its subject, text and html. */
export class RenderBudget {
  readonly time: Limiter;
  readonly memory: Limiter;
  readonly outputBytes: number;

  /** `now` is a reading of the clock that Liquid uses: `performance.now()`. */
  constructor(limits: RenderLimits, now: number) {
    this.time = new TimeLimiter(now + limits.messageMs, limits.messageMs);
    this.memory = new MemoryLimiter(limits.memory);
    this.outputBytes = limits.outputBytes;
  }
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(plain).join('') : String(value);
}

/** Collects output and stops as soon as it is over its limit: Liquid itself bounds no output. */
export class BoundedEmitter {
  buffer = '';

  /** `memory` is charged where the output becomes a variable (`capture`); `show` is asked what stands for a value that is no text. */
  constructor(
    private readonly limit: number,
    private readonly show: (value: unknown) => unknown,
    private readonly memory?: Limiter,
  ) {}

  write(value: unknown): void {
    const text = typeof value === 'string' ? value : plain(this.show(value));
    this.memory?.use(text.length);
    // A character is a byte at least, so that this bounds the bytes from below; they are counted at the end.
    if (this.buffer.length + text.length > this.limit) {
      throw new LimitPassed('output', `the output is larger than ${this.limit} bytes`);
    }
    this.buffer += text;
  }
}

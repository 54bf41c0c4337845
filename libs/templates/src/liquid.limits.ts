/** The limit that a rendering exceeded. */
export type Limit = 'time' | 'memory' | 'output' | 'depth';

/** A rendering exceeded one of its limits. It is the cause of a Liquid error, recognised by its class, not by its text. */
export class LimitExceeded extends Error {
  readonly code = 'render_limit';
  constructor(
    readonly limit: Limit,
    message: string,
  ) {
    super(message);
  }
}

/** The interface of the limiters that Liquid calls while it renders. */
export interface Limiter {
  use(amount: unknown): void;
  check(amount: unknown): void;
}

/** Liquid checks the time before every node: `check` gets the reading of the clock. */
class TimeLimiter implements Limiter {
  constructor(
    private readonly deadline: number,
    private readonly ms: number,
  ) {}

  use(): void {
    // Time is not counted in amounts.
  }

  check(now: unknown): void {
    if (Number(now) > this.deadline) throw new LimitExceeded('time', `rendering takes longer than ${this.ms} ms`);
  }
}

/** Counts the characters and array items that filters and captures make. */
class MemoryLimiter implements Limiter {
  private used = 0;
  constructor(private readonly limit: number) {}

  use(amount: unknown): void {
    this.used += Math.max(0, Number(amount) || 0);
    this.check(this.used);
  }

  check(amount: unknown): void {
    if (Number(amount) > this.limit) throw new LimitExceeded('memory', 'rendering takes too much memory');
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

/** What the rendering of one message may use; its subject, text and html share it. */
export class RenderBudget {
  readonly time: Limiter;
  readonly memory: Limiter;
  readonly outputBytes: number;

  /** `now` is a reading of the clock that Liquid uses, `performance.now()`. */
  constructor(limits: RenderLimits, now: number) {
    this.time = new TimeLimiter(now + limits.messageMs, limits.messageMs);
    this.memory = new MemoryLimiter(limits.memory);
    this.outputBytes = limits.outputBytes;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(textOf).join('') : String(value);
}

/** Collects output and throws as soon as it exceeds its limit. Liquid itself has no limit of output. */
export class BoundedEmitter {
  buffer = '';

  /** `memory` counts output that becomes a variable (`capture`); `show` returns what is shown for a value that is not a text. */
  constructor(
    private readonly limit: number,
    private readonly show: (value: unknown) => unknown,
    private readonly memory?: Limiter,
  ) {}

  write(value: unknown): void {
    const text = typeof value === 'string' ? value : textOf(this.show(value));
    this.memory?.use(text.length);
    // A character takes at least one byte, so the bytes are not fewer than this. They are counted at the end.
    if (this.buffer.length + text.length > this.limit) {
      throw new LimitExceeded('output', `the output is larger than ${this.limit} bytes`);
    }
    this.buffer += text;
  }
}

import { isRetryable, pause } from '@lettermill/concurrency';
import { decodeEvent, type ReceivedEvent } from '@lettermill/events';
import {
  LogUnavailable,
  RecordTooLarge,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type RecordBatch,
} from '../log.port';
import type { LogLines } from '../log.lines';
import { slicesOf } from './batch.slices';
import { deadLetterCode, deadLetterOf, REDRIVE_GROUP_HEADER, withoutContent, type DeadRecord } from './dead.letter';
import type { EventBatch } from './event.batch';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** Well within the session time-out of a broker. */
const HEARTBEAT_MS = 1_000;

/** Counts what the consumers of a service do. */
export interface ConsumerObserver {
  /**
   * Called before the events are handled. The function that it returns is called after that, with the codes of the
   * events that could not be handled, by their index in `events`.
   */
  onBatch?(events: ReceivedEvent[]): ((faults: Map<number, string>) => void) | undefined;
  /** Called when a batch is done: how many records, in how many seconds, retries included; how many events of each type were handled. */
  onHandled(topic: string, count: number, seconds: number, types: Map<string, number>): void;
  onDeadLetter(topic: string, code: string): void;
  onRetry(topic: string, code: string): void;
}

export interface RunnerOptions {
  log: EventLog;
  group: string;
  lines: LogLines;
  observer?: ConsumerObserver;
}

/** A handler's error arrived without its cause: the application lacks the filter that lets it through. */
export class HandlerErrorHidden extends Error {
  readonly code = 'handler_error_hidden';
  readonly retryable = true;
  constructor() {
    super('a handler failed and Nest hid why: register RethrowFilter as a global filter');
  }
}

export type Handler = (batch: EventBatch) => Promise<void>;

interface Item {
  record: LogRecord;
  event: ReceivedEvent;
}

function isTransient(error: unknown): boolean {
  // A failed log is no fault of the event, although trying again is no use in this process.
  return error instanceof LogUnavailable || isRetryable(error);
}

/**
 * One batch on its way through a handler (docs/concepts.md, events): transient faults are retried in place, poison goes
 * to the dead letters, the rest is handled. Resolves when all effects are durable; rejects when the service is stopped,
 * or the log is lost, before that.
 */
export class BatchRunner {
  private readonly deadRecords: DeadRecord[] = [];
  /** How many events of each type were handled. */
  private readonly handledByType = new Map<string, number>();

  constructor(
    private readonly options: RunnerOptions,
    private readonly batch: RecordBatch,
    private readonly handler: Handler,
  ) {}

  async run(): Promise<void> {
    const started = performance.now();
    for (const [index, records] of slicesOf(this.batch.records).entries()) {
      if (index > 0) this.mustGoOn();
      await this.runSlice(records);
    }
    await this.appendDeadLetters();
    const seconds = (performance.now() - started) / 1000;
    this.options.observer?.onHandled(this.batch.topic, this.batch.records.length, seconds, this.handledByType);
  }

  private async runSlice(records: LogRecord[]): Promise<void> {
    const items = this.decode(records);
    if (items.length > 0) await this.handleObserved(items);
    this.countTypes(items);
  }

  private async handleObserved(items: Item[]): Promise<void> {
    const onEnded = this.options.observer?.onBatch?.(items.map(({ event }) => event));
    try {
      await this.handle(items);
      onEnded?.(this.faultsOf(items));
    } catch (error) {
      onEnded?.(new Map(items.map((_item, at) => [at, deadLetterCode(error)])));
      throw error;
    }
  }

  private faultsOf(items: Item[]): Map<number, string> {
    const places = new Map(items.map(({ record }, at) => [record, at]));
    return new Map(
      this.deadRecords.flatMap(({ record, error }): [number, string][] => {
        const at = places.get(record);
        return at === undefined ? [] : [[at, deadLetterCode(error)]];
      }),
    );
  }

  private countTypes(items: Item[]): void {
    const { handledByType: types } = this;
    const dead = new Set(this.deadRecords.map(({ record }) => record));
    for (const { record, event } of items) {
      if (!dead.has(record)) types.set(event.type, (types.get(event.type) ?? 0) + 1);
    }
  }

  private decode(records: LogRecord[]): Item[] {
    const items: Item[] = [];
    for (const record of records) {
      // Redriven for another group: this one handled it when it first came.
      if ((record.headers[REDRIVE_GROUP_HEADER] ?? this.options.group) !== this.options.group) continue;
      try {
        items.push({ record, event: decodeEvent(record) });
      } catch (error) {
        this.deadRecords.push({ record, error });
      }
    }
    return items;
  }

  /** Halves a batch that the handler refuses until the events that it cannot take are found. Order is kept. */
  private async handle(items: Item[]): Promise<void> {
    try {
      await this.retryWhileTransient(() => this.handler(this.eventBatch(items)));
    } catch (error) {
      if (isTransient(error)) throw error;
      if (items.length === 1) {
        this.deadRecords.push({ record: items[0]!.record, error });
        return;
      }
      const middle = items.length >> 1;
      await this.handle(items.slice(0, middle));
      await this.handle(items.slice(middle));
    }
  }

  private eventBatch(items: Item[]): EventBatch {
    const { batch } = this;
    return {
      topic: batch.topic,
      events: items.map(({ event }) => event),
      heartbeat: () => this.heartbeat(),
      get stopping() {
        return batch.stopping;
      },
    };
  }

  /** Resolves only after the dead letters are durable, so the position is committed only then. */
  private async appendDeadLetters(): Promise<void> {
    if (this.deadRecords.length === 0) return;
    const { group, lines, observer } = this.options;
    const letters = this.deadRecords.map((dead) => deadLetterOf(dead, group));
    await this.retryWhileTransient(() => this.appendWithinLimits(letters));
    for (const { record, error } of this.deadRecords) {
      const code = deadLetterCode(error);
      const { topic, partition, position } = record;
      lines.error(
        { topic, group, partition, position, code, at: firstStackFrame(error) },
        'an event went to the dead letters',
      );
      observer?.onDeadLetter(topic, code);
    }
  }

  /** Records of other writers may be larger than this log takes: such a dead letter keeps its origin, without its content. */
  private async appendWithinLimits(letters: NewRecord[]): Promise<void> {
    const { log } = this.options;
    try {
      await log.append(letters);
    } catch (error) {
      if (!(error instanceof RecordTooLarge)) throw error;
      if (letters.length === 1) return log.append(letters.map(withoutContent));
      for (const letter of letters) await this.appendWithinLimits([letter]);
    }
  }

  /** Retries while the error is transient; rejects with it when the service is being stopped. */
  private async retryWhileTransient(action: () => Promise<void>): Promise<void> {
    for (let backoffMs = MIN_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        return await action();
      } catch (error) {
        const isFinal = error instanceof LogUnavailable && !error.retryable;
        if (!isTransient(error) || isFinal || this.batch.stopping) throw error;
        this.options.observer?.onRetry(this.batch.topic, deadLetterCode(error));
        const { topic } = this.batch;
        // A transient error is one of ours, whose text holds nothing of the events.
        const detail = (error as Error).message;
        const fields = { topic, group: this.options.group, code: deadLetterCode(error), detail, pause: backoffMs };
        this.options.lines.warn(fields, error instanceof HandlerErrorHidden ? detail : 'trying a batch again');
      }
      await this.sleepWithHeartbeats(backoffMs);
      this.mustGoOn();
    }
  }

  /** Others wait for this member: what is left is theirs. */
  private mustGoOn(): void {
    if (this.batch.stopping) throw new LogUnavailable('the service is being stopped');
  }

  /** A lost membership is no fault of the events. */
  private async heartbeat(): Promise<void> {
    try {
      await this.batch.heartbeat();
    } catch (error) {
      throw new LogUnavailable('the consumer group was left', { cause: error });
    }
  }

  private async sleepWithHeartbeats(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !this.batch.stopping; left -= HEARTBEAT_MS) {
      await this.heartbeat();
      await pause(Math.min(left, HEARTBEAT_MS));
    }
  }
}

/** Where an error was thrown, without its text. */
function firstStackFrame(error: unknown): string | undefined {
  const stack = (error as { stack?: unknown } | undefined)?.stack;
  if (typeof stack !== 'string') return undefined;
  return stack
    .split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim();
}

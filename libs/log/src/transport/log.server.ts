import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { TOPICS } from '@lettermill/events';
import { isObservable, lastValueFrom } from 'rxjs';
import type { EventLog, RecordBatch, Subscription } from '../log.port';
import type { LogLines } from '../log.lines';
import { BatchRunner, HandlerErrorHidden, type ConsumerObserver, type Handler } from './batch.runner';
import type { EventBatch } from './event.batch';

export interface LogServerOptions {
  log: EventLog;
  /** Consumer group: the name of the service. */
  group: string;
  logger: LogLines;
  /** At most this many events in a batch. */
  maxRecords?: number;
  /** As in `SubscribeOptions`. */
  lingerMs?: number;
  observer?: ConsumerObserver;
}

/** Whether this is what Nest puts in place of an error that no filter lets through: a plain object, not an `Error`. */
function isNestErrorObject(error: unknown): boolean {
  return typeof error === 'object' && error !== null && !('stack' in error) && 'status' in error && 'message' in error;
}

/** Calls what Nest hands over: the proxy around a controller's method, with filters, guards and interceptors in it. */
function handlerOf(handler: MessageHandler): Handler {
  return async (batch: EventBatch) => {
    try {
      const answer: unknown = await handler(batch);
      if (isObservable(answer)) await lastValueFrom(answer, { defaultValue: undefined });
    } catch (error) {
      throw isNestErrorObject(error) ? new HandlerErrorHidden() : error;
    }
  };
}

/**
 * Nest transport over the event log: `@EventPattern(topic)` handlers are given batches (`EventBatch`) of the group's
 * events. At-least-once; the rules are those of `BatchRunner`. A topic without a handler is not subscribed to;
 * two handlers for one topic are refused, as they would share one position.
 */
export class LogServer extends Server implements CustomTransportStrategy {
  /** Nest need not log errors that reach us anyway. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly handlerFaults: string[] = [];
  private subscription: Subscription | undefined;

  constructor(private readonly options: LogServerOptions) {
    super();
  }

  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const topic = this.normalizePattern(pattern as string);
    if (!isEventHandler) this.handlerFaults.push(`${topic} has a @MessagePattern handler; events have no answer`);
    if (this.messageHandlers.has(topic)) this.handlerFaults.push(`${topic} has two handlers; join them in one`);
    if (topic === TOPICS.deadLetter) this.handlerFaults.push('dead letters are no events and have no handler');
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  listen(callback: (error?: unknown) => void): void {
    this.start().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  /** Finishes the batches in progress and leaves the group. */
  async close(): Promise<void> {
    await this.subscription?.close();
  }

  /**
   * Resolves with true when everything on these topics at the time of the call has been handled by this service; with
   * false after `timeoutMs`. A topic that the service does not read has nothing to wait for.
   */
  async caughtUp(topics: string[], timeoutMs: number): Promise<boolean> {
    const read = topics.filter((topic) => this.messageHandlers.has(topic));
    if (read.length === 0) return true;
    return (await this.subscription?.caughtUp(timeoutMs, read)) ?? false;
  }

  on(): never {
    throw new Error('the log transport has no events to listen to');
  }

  /** The topics that the service reads; complete once it listens. */
  get topics(): string[] {
    return [...this.messageHandlers.keys()];
  }

  unwrap<T>(): T {
    return this.options.log as T;
  }

  private async start(): Promise<void> {
    if (this.handlerFaults.length > 0)
      throw new Error(`consumer group ${this.options.group}: ${this.handlerFaults.join('; ')}`);
    const topics = [...this.messageHandlers.keys()];
    if (topics.length === 0) return;
    const { log, group, maxRecords, lingerMs } = this.options;
    const handlers = new Map(topics.map((topic) => [topic, handlerOf(this.messageHandlers.get(topic)!)]));
    const onBatch = (batch: RecordBatch) => this.run(batch, handlers.get(batch.topic)!);
    this.subscription = await log.subscribe({ group, topics, maxRecords, lingerMs, onBatch });
  }

  private run(batch: RecordBatch, handler: Handler): Promise<void> {
    const { log, group, logger: lines, observer } = this.options;
    return new BatchRunner({ log, group, lines, observer }, batch, handler).run();
  }
}

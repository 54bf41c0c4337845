/** Bytes, or text that is written as UTF-8; text may come in parts, so that what records share is not copied for each. */
export type RecordValue = Buffer | string | string[];

/** A record to be written. `key` decides the partition; records of one key keep their order. */
export interface NewRecord {
  topic: string;
  key: string;
  value: RecordValue;
  headers: Record<string, string>;
}

/** A record as it lies in its partition. `position` counts from 0 within the partition. */
export interface LogRecord extends NewRecord {
  value: Buffer;
  partition: number;
  position: number;
  /** Milliseconds since the epoch, when it was appended. */
  appendedAt: number;
}

/** Records of one topic, in the order of the log within each partition. Values are shared with other readers: never
 * write into them, and copy what is kept for long. */
export interface RecordBatch {
  topic: string;
  records: LogRecord[];
  /** Keeps the membership of the group alive during long work; cheap to call often. Rejects with `LogUnavailable` when
   * the records have been given to another member. */
  heartbeat(): Promise<void>;
  /** True once the subscription is being closed, or its partitions are to go to another member: finish what is in hand. */
  readonly stopping: boolean;
}

export interface SubscribeOptions {
  /** Consumer group: members share the partitions, positions are kept under this name. */
  group: string;
  topics: string[];
  /** At most this many records a batch. Default 500. */
  maxRecords?: number;
  /** At most about this many bytes of values a batch. Default 4 MiB. */
  maxBytes?: number;
  /** For a group that nobody waits for, in a process with others: after a rest, what comes is left this long for more to come along,
   * and for the others to be done with it. `caughtUp` ends it. A log whose groups have processes of their own need not wait. */
  lingerMs?: number;
  /** Called with one batch at a time per topic. The batch counts as done when the promise resolves: its position is
   * then committed. When it rejects the same records are handed over again after a pause. */
  onBatch(batch: RecordBatch): Promise<void>;
}

export interface FollowOptions {
  topics: string[];
  /** Every record from the first kept one on, then what is appended; nothing is committed. */
  onBatch(batch: RecordBatch): Promise<void>;
}

export interface Subscription {
  /** Resolves when all that was on the log at the time of the call has been handled; false after `timeoutMs`, and when
   * the subscription ends before. `topics` narrows it to some of those subscribed to. */
  caughtUp(timeoutMs: number, topics?: string[]): Promise<boolean>;
  /** Hands out nothing more, waits for the batch in hand, commits, leaves the group. */
  close(): Promise<void>;
}

/** Where a group stands in one partition. `lag` is what it has still to read. */
export interface GroupPosition {
  topic: string;
  partition: number;
  committed: number;
  end: number;
  lag: number;
}

/**
 * The event log: the truth of the system. At-least-once, ordered within a partition.
 * Faults: `LogUnavailable` (may be tried again), `LogFailed` (not in this process), `RecordTooLarge` (never).
 */
export interface EventLog {
  /**
   * Resolves when the records survive a crash of the machine. The embedded log writes the records of one topic all or
   * none, a crash at any moment included; when it rejects, those of another topic of the same call may be on the log.
   * With brokers it is not always known: when it rejects, any of the records may be there, unless the error says that it
   * is `unwritten`. To append them again is harmless, as every consumer knows an event by its id.
   */
  append(records: NewRecord[]): Promise<void>;
  /** A new group starts at the first kept record. Within a process a group has one member per topic. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  follow(options: FollowOptions): Promise<Subscription>;
  /** Reads up to `limit` records of a partition from a position on; what retention has removed is skipped. */
  read(topic: string, partition: number, from: number, limit: number): Promise<LogRecord[]>;
  partitions(topic: string): Promise<number>;
  positions(group: string, topics: string[]): Promise<GroupPosition[]>;
  /** Rejects when the log can't be used, or has lost one of these topics. */
  check(topics?: string[]): Promise<void>;
  /** Waits for subscriptions and for appends in hand; what comes after is refused with `LogUnavailable`. */
  close(): Promise<void>;
}

/** The log can't take or give records now; what was to be appended is to be appended again. */
export class LogUnavailable extends Error {
  readonly code: string = 'log_unavailable';
  readonly retryable: boolean = true;
  /** Certain: none of the records that were to be appended is on the log, or ever will be. */
  readonly unwritten: boolean;

  constructor(message: string, { unwritten = false, ...options }: ErrorOptions & { unwritten?: boolean } = {}) {
    super(message, options);
    this.unwritten = unwritten;
  }
}

/** The log of this process is lost (a write or its sync failed): whether the records survive is not known, and none is
 * taken any more. The process must end; the next one finds out. */
export class LogFailed extends LogUnavailable {
  override readonly code = 'log_failed';
  override readonly retryable = false;
}

/** One record is larger than the log takes (`limit` bytes). */
export class RecordTooLarge extends Error {
  readonly code = 'record_too_large';
  readonly retryable = false;
  constructor(
    readonly size: number,
    readonly limit: number,
  ) {
    super(`a record of ${size} bytes is over the limit of ${limit}`);
  }
}

export const EVENT_LOG = Symbol('EventLog');

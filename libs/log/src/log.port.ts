/** A record to be written. `key` decides the partition; records of one key keep their order. */
export interface NewRecord {
  topic: string;
  key: string;
  value: Buffer;
  headers: Record<string, string>;
}

/** A record as it lies in its partition. `position` counts from 0 within the partition. */
export interface LogRecord extends NewRecord {
  partition: number;
  position: number;
  /** Milliseconds since the epoch, when it was appended. */
  appendedAt: number;
}

/** Records of one topic, in the order of the log within each partition. */
export interface RecordBatch {
  topic: string;
  records: LogRecord[];
  /** Keeps the membership of the group alive during long work; cheap to call often. */
  heartbeat(): Promise<void>;
  /** True once the subscription is being closed: finish what is in hand. */
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
  /** Resolves when all that was on the log at the time of the call has been handled; false after `timeoutMs`. */
  caughtUp(timeoutMs: number): Promise<boolean>;
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
 * Faults: `LogUnavailable` (may be tried again), `RecordTooLarge` (never).
 */
export interface EventLog {
  /** Writes all or nothing in this process; resolves when the records survive a crash of the machine. */
  append(records: NewRecord[]): Promise<void>;
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  follow(options: FollowOptions): Promise<Subscription>;
  /** Reads up to `limit` records of a partition from a position on; what retention has removed is skipped. */
  read(topic: string, partition: number, from: number, limit: number): Promise<LogRecord[]>;
  partitions(topic: string): Promise<number>;
  positions(group: string, topics: string[]): Promise<GroupPosition[]>;
  /** Rejects when the log can't be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The log can't take or give records now; nothing of the call happened. */
export class LogUnavailable extends Error {
  readonly code = 'log_unavailable';
  readonly retryable = true;
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

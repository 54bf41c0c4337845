/** Bytes, or text that is written as UTF-8. Text may come in parts, so that parts that records share are not copied for each. */
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
  /** True once the subscription is being closed, or its partitions are to go to another member: finish the current batch. */
  readonly stopping: boolean;
}

export interface SubscribeOptions {
  /** Consumer group: members share the partitions, positions are kept under this name. */
  group: string;
  topics: string[];
  /** At most this many records a batch. Default 500. */
  maxRecords?: number;
  /**
   * Milliseconds. For a group that nobody waits for, in a process with other groups: after an idle period, the first
   * record waits this long, so that more can join it and the other groups are done with it. `caughtUp` ends the wait. A
   * log whose groups have processes of their own need not wait.
   */
  lingerMs?: number;
  /**
   * Called with one batch at a time per topic. When the promise resolves, the batch is done and its position is
   * committed. When it rejects, the same records are handed over again after a pause.
   */
  onBatch(batch: RecordBatch): Promise<void>;
}

export interface FollowOptions {
  topics: string[];
  /** Called with every record from the first kept one on, then with what is appended; nothing is committed. */
  onBatch(batch: RecordBatch): Promise<void>;
  /** For a follower that others can do without: called when it ends at a damaged record. Otherwise the whole log fails. */
  onDamage?(error: Error): void;
}

export interface Subscription {
  /**
   * Resolves with true when everything on the log at the time of the call has been handled; with false after
   * `timeoutMs`, or when the subscription ends before that. `topics` limits it to some of the subscribed topics.
   */
  caughtUp(timeoutMs: number, topics?: string[]): Promise<boolean>;
  /** Hands out nothing more, waits for the batch in progress, commits, leaves the group. */
  close(): Promise<void>;
}

/** Where a group stands in one partition. `lag` is the number of records that it has still to read. */
export interface GroupPosition {
  topic: string;
  partition: number;
  committed: number;
  end: number;
  lag: number;
}

/**
 * The event log: the truth of the system. At-least-once, ordered within a partition. Faults: `LogUnavailable` (may be
 * tried again), `LogFailed` (must not be, in this process), `RecordTooLarge` (never).
 */
export interface EventLog {
  /**
   * Resolves when the records survive a crash of the machine. The embedded log writes all or none of the records of one
   * topic, even if it crashes meanwhile; when it rejects, records of another topic of the same call may be on the log.
   * With brokers the outcome is not always known: when it rejects, any of the records may be on the log, unless the
   * error says that it is `unwritten`. Appending them again is harmless, as every consumer knows an event by its id.
   */
  append(records: NewRecord[]): Promise<void>;
  /** A new group starts at the first kept record. Within a process a group has one member per topic. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  follow(options: FollowOptions): Promise<Subscription>;
  /** Reads up to `limit` records of a partition from a position on; what retention has removed is skipped. */
  read(topic: string, partition: number, from: number, limit: number): Promise<LogRecord[]>;
  partitions(topic: string): Promise<number>;
  positions(group: string, topics: string[]): Promise<GroupPosition[]>;
  /** Rejects when the log cannot be used, or has lost one of these topics. */
  check(topics?: string[]): Promise<void>;
  /** Waits for subscriptions and for appends in progress; later calls are refused with `LogUnavailable`. */
  close(): Promise<void>;
}

/** The log cannot take or give records now; what could not be appended should be appended again. */
export class LogUnavailable extends Error {
  readonly code: string = 'log_unavailable';
  readonly retryable: boolean = true;
  /** True if it is certain that none of the records of the append is on the log, or ever will be. */
  readonly unwritten: boolean;

  constructor(message: string, { unwritten = false, ...options }: ErrorOptions & { unwritten?: boolean } = {}) {
    super(message, options);
    this.unwritten = unwritten;
  }
}

/**
 * The log of this process is lost (a write or its sync failed): it is not known whether the records survive, and no
 * more are taken. The process must end; the next one finds out.
 */
export class LogFailed extends LogUnavailable {
  override readonly code = 'log_failed';
  override readonly retryable = false;
}

/** One record is larger than the log takes (`limit` bytes). */
export class RecordTooLarge extends Error {
  readonly code = 'record_too_large';
  readonly retryable = false;
  constructor(size: number, limit: number) {
    super(`a record of ${size} bytes is over the limit of ${limit}`);
  }
}

export const EVENT_LOG = Symbol('EventLog');

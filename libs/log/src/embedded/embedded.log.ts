import { join } from 'node:path';
import {
  LogFailed,
  LogUnavailable,
  type EventLog,
  type FollowOptions,
  type GroupPosition,
  type LogRecord,
  type NewRecord,
  type SubscribeOptions,
  type Subscription,
} from '../log.port';
import { appendByTopic, checkSize } from '../log.appends';
import { recordLimits } from '../log.batches';
import { LogDamaged, LogFault } from '../log.faults';
import { GroupMemberships } from '../log.members';
import { lockDirectory, type DirectoryLock } from './directory.lock';
import { watchDirectory } from './directory.watch';
import { makeDirectory } from './durable.file';
import { settingsOf, type EmbeddedLogOptions, type EmbeddedSettings } from './embedded.options';
import { mustHaveFreeSpace } from './free.space';
import { GroupPositions } from './group.positions';
import { RetentionSweeper } from './retention.sweeper';
import { EmbeddedSubscription } from './embedded.subscription';
import { TailMemory } from './tail.memory';
import { TopicCursor } from './topic.cursor';
import { TopicLoop, type LoopOptions } from './topic.loop';
import { Topics, type Topic } from './topics';

/** What differs between a member of a group and a follower. */
type ReaderOptions = Pick<LoopOptions, 'group' | 'limits' | 'lingerMs' | 'onBatch'> & Pick<FollowOptions, 'onDamage'>;

/**
 * The event log of a single process, in a directory of its own: a folder per topic, with segment files in it. An append
 * resolves after fdatasync; appends that arrive meanwhile share the next one.
 */
export class EmbeddedLog implements EventLog {
  private readonly memberships = new GroupMemberships();
  private readonly subscriptions = new Set<EmbeddedSubscription>();
  private failure: LogFailed | undefined;
  private closing: Promise<void> | undefined;
  private closed = false;
  private groupPositions!: GroupPositions;
  private topics!: Topics;
  private sweeper!: RetentionSweeper;
  private stopWatching!: () => void;

  private constructor(
    private readonly settings: EmbeddedSettings,
    private readonly lock: DirectoryLock,
  ) {}

  /** Rejects with `LogFault`: `directory_locked`, `log_damaged` (names file and offset), `log_option_refused`. */
  static async open(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
    const settings = settingsOf(options);
    await makeDirectory(settings.directory);
    const log = new EmbeddedLog(settings, lockDirectory(settings.directory));
    try {
      await log.start();
      return log;
    } catch (error) {
      log.lock.release();
      throw error;
    }
  }

  async append(records: NewRecord[]): Promise<void> {
    this.mustBeUsable();
    for (const record of records) checkSize(record, this.settings.maxRecordBytes);
    return appendByTopic(records, (topic, some) => this.appendTo(topic, some));
  }

  async subscribe({ group, topics, maxRecords, lingerMs, onBatch }: SubscribeOptions): Promise<Subscription> {
    if (!group) throw new LogFault('log_option_refused', 'a group needs a name');
    const leave = this.memberships.join(group, topics);
    const limits = recordLimits(maxRecords);
    return this.openSubscription(topics, { group, limits, lingerMs, onBatch }, leave);
  }

  follow({ topics, onBatch, onDamage }: FollowOptions): Promise<Subscription> {
    return this.openSubscription(topics, { group: undefined, limits: recordLimits(), onBatch, onDamage }, () => {});
  }

  async read(name: string, partition: number, from: number, limit: number): Promise<LogRecord[]> {
    this.mustBeUsable();
    if (!this.topics.has(name)) return [];
    const { log } = await this.openTopic(name);
    // Positions that are never reached skip the other partitions.
    const startPositions = log.nextPositions.map((_next, index) => (index === partition ? from : Infinity));
    const cursor = new TopicCursor(log, startPositions);
    log.readers.add(cursor);
    try {
      const records = await cursor.take({ maxRecords: limit, maxBytes: Infinity });
      return records.map((record) => ({ ...record, value: Buffer.from(record.value) }));
    } catch (error) {
      // No group stands still for this reader; those that come to the damage fail the log.
      if (error instanceof LogDamaged) throw error;
      throw new LogUnavailable(`${name} could not be read`, { cause: error });
    } finally {
      log.readers.delete(cursor);
    }
  }

  async partitions(name: string): Promise<number> {
    return this.topics.has(name) ? (await this.openTopic(name)).log.partitions : this.settings.partitions;
  }

  async positions(group: string, topics: string[]): Promise<GroupPosition[]> {
    const all = await Promise.all(topics.map((name) => this.positionsIn(group, name)));
    return all.flat();
  }

  /** Rejects for as long as the volume is full, so that a full volume is noticed before the next append fails. */
  async check(): Promise<void> {
    this.mustBeUsable();
    const { directory, freeSpace } = this.settings;
    await mustHaveFreeSpace(directory, freeSpace);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /** Removes what retention allows; also runs by itself every hour. */
  sweep(): Promise<void> {
    return this.sweeper.run();
  }

  private async start(): Promise<void> {
    const { directory, logger: lines, memoryBytes } = this.settings;
    const onFailed = (error: LogFailed) => this.fail(error);
    const path = join(directory, 'positions.seg');
    this.groupPositions = await GroupPositions.open({ ...this.settings, path, lines, onFailed });
    const memory = new TailMemory(memoryBytes);
    const topics = { ...this.settings, directory: join(directory, 'topics'), memory, positions: this.groupPositions };
    try {
      this.topics = await Topics.open({ ...topics, lines, onFailed });
    } catch (error) {
      await this.groupPositions.close(new Map());
      throw error;
    }
    this.sweeper = new RetentionSweeper({
      ...this.settings,
      topics: this.topics,
      positions: this.groupPositions,
      lines,
    });
    // Not at once: where positions were lost, a group holds its unread records back only after it has joined.
    this.sweeper.start();
    this.stopWatching = watchDirectory(directory, (what) => this.fail(new LogFailed(`${directory} ${what}`)));
  }

  private async shutDown(): Promise<void> {
    this.stopWatching();
    await this.sweeper.stop();
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    this.closed = true;
    try {
      await this.topics.close();
      const topics = this.failure ? [] : await this.topics.all();
      await this.groupPositions.close(new Map(topics.map(({ log }) => [log.name, log.nextPositions])));
    } finally {
      this.lock.release();
    }
  }

  /** Holds no reference to the records once they are encoded, as many appends wait for the disk at a time. */
  private async appendTo(name: string, records: NewRecord[]): Promise<void> {
    const { writer } = await this.openTopic(name);
    return writer.append(records);
  }

  private mustBeUsable(): void {
    if (this.failure) throw this.failure;
    if (this.closed) throw new LogUnavailable('the log is closed', { unwritten: true });
  }

  /** The topic, created on first use. Rejects with `LogUnavailable` when the file system fails. */
  private async openTopic(name: string): Promise<Topic> {
    try {
      return await this.topics.get(name);
    } catch (error) {
      if (error instanceof LogDamaged) this.fail(error);
      if (error instanceof LogFault || error instanceof LogUnavailable) throw error;
      throw new LogUnavailable(`the topic ${name} could not be opened`, { cause: error, unwritten: true });
    }
  }

  private async openSubscription(names: string[], options: ReaderOptions, leave: () => void): Promise<Subscription> {
    try {
      this.mustBeUsable();
      const topics = await Promise.all(names.map((name) => this.openTopic(name)));
      if (this.closing) throw new LogUnavailable('the log is being closed');
      const loops = topics.map(({ log }): [string, TopicLoop] => [log.name, this.startLoop(log, options)]);
      const subscription = new EmbeddedSubscription(loops, () => {
        this.subscriptions.delete(subscription);
        leave();
      });
      this.subscriptions.add(subscription);
      return subscription;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private startLoop(topic: Topic['log'], options: ReaderOptions): TopicLoop {
    const { group } = options;
    const first = topic.firstSegment.header.base;
    const from = (group === undefined ? undefined : this.groupPositions.positionsOf(group, topic.name)) ?? first;
    // From now on retention keeps what the group has not read.
    if (group) this.groupPositions.commit(group, topic.name, from);
    return new TopicLoop({
      ...options,
      topic,
      gatherMs: this.settings.gatherMs,
      lines: this.settings.logger,
      commit: (positions) => {
        if (group) this.groupPositions.commit(group, topic.name, positions);
      },
      onDamage: options.onDamage ?? ((error) => this.fail(error)),
      cursor: (wake) => new TopicCursor(topic, from, wake),
    });
  }

  private async positionsIn(group: string, name: string): Promise<GroupPosition[]> {
    const log = this.topics.has(name) ? (await this.openTopic(name)).log : undefined;
    const ends = log?.nextPositions ?? new Array<number>(this.settings.partitions).fill(0);
    const committed = this.groupPositions.positionsOf(group, name) ?? log?.firstSegment.header.base ?? ends;
    return ends.map((end, partition) => {
      const at = committed[partition] ?? 0;
      return { topic: name, partition, committed: at, end, lag: end - at };
    });
  }

  /** The log is lost for this process: it acknowledges no more appends and hands out no more records. */
  private fail(cause: LogFailed | LogDamaged): void {
    if (this.failure) return;
    this.failure = cause instanceof LogFailed ? cause : new LogFailed(cause.message, { cause });
    void this.topics?.fail(this.failure);
    for (const subscription of this.subscriptions) subscription.stop();
    this.settings.logger.error({ err: cause }, 'the log has failed');
    this.settings.onFatal(cause);
  }
}

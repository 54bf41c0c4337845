import { coalesceCalls, pause } from '@lettermill/concurrency';
import { recordLimits, type RecordLimits } from '../log.batches';
import { GroupMemberships, type OnBatch } from '../log.members';
import { LogFault } from '../log.faults';
import {
  LogUnavailable,
  type EventLog,
  type FollowOptions,
  type GroupPosition,
  type LogRecord,
  type NewRecord,
  type SubscribeOptions,
  type Subscription,
} from '../log.port';
import { BrokerAdmin } from './broker.admin';
import { COMPRESSION_TEXT, isUnreadable } from './compression';
import { formerMemberIds, removeMembers, membersNamed, type MemberChoice } from './former.members';
import { GrouplessFetch } from './groupless.fetch';
import { GroupMember } from './group.member';
import { faultType, KafkaClients } from './kafka.client';
import { settingsOf, type KafkaLogOptions, type KafkaSettings } from './kafka.options';
import { KafkaSubscription, type Reader } from './kafka.subscription';
import { KafkaWriter } from './kafka.writer';
import { notReadyReporter } from './not.ready';
import { Progress } from './progress';
import { lookUpRecords } from './record.lookup';
import { TopicBook, type TopicFacts } from './topic.book';
import { TopicFollower } from './topic.follower';
import { missingTopicsText, missingTopicsReporter } from './missing.topics';

const CHECK_TIMEOUT_MS = 3_000;
const OPEN_RETRY_DELAY_MS = 1_000;
const MIB = 1024 * 1024;

interface MemberSettings {
  group: string;
  limits: RecordLimits;
  onBatch: OnBatch;
}

/**
 * The event log of the cluster profile, on Kafka. For each of its topics, a group of the log is a group
 * `<group>.<topic>` on the brokers, so that topics do not wait for each other. The records of one call are written all
 * or none within a partition only: after a rejected `append` some may be on the log.
 */
export class KafkaLog implements EventLog {
  private readonly memberships = new GroupMemberships();
  private readonly subscriptions = new Set<KafkaSubscription>();
  private readonly admin: BrokerAdmin;
  private readonly topics: TopicBook;
  private readonly writer: KafkaWriter;
  private readonly reportMissing: (missing: string[]) => void;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly settings: KafkaSettings,
    private readonly clients: KafkaClients,
  ) {
    this.admin = new BrokerAdmin(() => clients.admin());
    this.topics = new TopicBook(settings, clients, this.admin);
    this.writer = new KafkaWriter(settings, clients, this.topics);
    this.reportMissing = missingTopicsReporter(settings.logger, Date.now);
  }

  /** Waits for the brokers and creates missing topics. Rejects with `LogUnavailable` or `LogFault`. */
  static async open(options: KafkaLogOptions): Promise<KafkaLog> {
    const settings = settingsOf(options);
    const log = new KafkaLog(settings, await KafkaClients.load(settings));
    const deadline = Date.now() + settings.openTimeoutMs;
    const reportNotReady = notReadyReporter(settings);
    for (;;) {
      try {
        await log.makeTopics(settings.topics);
        return log;
      } catch (error) {
        if (Date.now() + OPEN_RETRY_DELAY_MS > deadline) {
          await log.close();
          throw error;
        }
        reportNotReady(error);
      }
      await pause(OPEN_RETRY_DELAY_MS);
    }
  }

  /** Creates missing topics. Idempotent; of a topic that exists, only retention and compression are changed, unless `topicsAsTheyAre`. */
  async makeTopics(topics: string[]): Promise<void> {
    await this.topics.make(topics);
  }

  async append(records: NewRecord[]): Promise<void> {
    this.mustBeUsable();
    if (records.length > 0) await this.writer.append(records);
  }

  async subscribe({ group, topics, maxRecords, onBatch }: SubscribeOptions): Promise<Subscription> {
    this.mustBeUsable();
    if (!group) throw new LogFault('log_option_refused', 'a group needs a name');
    const leave = this.memberships.join(group, topics);
    await this.removeFormerMembers(topics.map((topic) => this.groupId(group, topic)));
    const limits = recordLimits(maxRecords);
    return this.openSubscription(
      topics,
      (topic, facts) => this.createMember(topic, facts, { group, limits, onBatch }),
      leave,
    );
  }

  async follow({ topics, onBatch }: FollowOptions): Promise<Subscription> {
    this.mustBeUsable();
    return this.openSubscription(
      topics,
      (topic, facts) => this.createFollower(topic, facts, onBatch),
      () => {},
    );
  }

  async read(topic: string, partition: number, from: number, limit: number): Promise<LogRecord[]> {
    this.mustBeUsable();
    const { name, batchBytes } = await this.topics.of(topic);
    const options = { topic, name, waitMs: 0, partitionBytes: Math.max(MIB, batchBytes) };
    const fetch = new GrouplessFetch(this.clients.cluster('reader'), options);
    const records: LogRecord[] = [];
    try {
      const begin = (await fetch.open()).get(partition) ?? 0;
      let position = Math.max(from, begin);
      while (records.length < limit) {
        const [more] = await fetch.fetch(new Map([[partition, position]]));
        if (!more || more.next === position) break;
        records.push(...more.records);
        position = more.next;
      }
      return records.slice(0, limit);
    } catch (error) {
      if (faultType(error) === 'OFFSET_OUT_OF_RANGE') return [];
      const why = isUnreadable(error) ? `: ${COMPRESSION_TEXT}` : '';
      throw new LogUnavailable(`${topic} could not be read${why}`, { cause: error });
    } finally {
      await fetch.close().catch(() => {});
    }
  }

  async partitions(topic: string): Promise<number> {
    return (await this.topics.of(topic)).partitions;
  }

  async positions(group: string, topics: string[]): Promise<GroupPosition[]> {
    this.mustBeUsable();
    const all = await Promise.all(topics.map((topic) => this.positionsIn(group, topic)));
    return all.flat();
  }

  async check(topics: string[] = []): Promise<void> {
    this.mustBeUsable();
    if (topics.length === 0) return this.admin.check(CHECK_TIMEOUT_MS);
    const names = topics.map((topic) => this.topics.nameOf(topic));
    const missing = await this.admin.missing(names, CHECK_TIMEOUT_MS);
    this.reportMissing(missing);
    if (missing.length > 0) throw new LogUnavailable(missingTopicsText(missing));
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private mustBeUsable(): void {
    if (this.closing) throw new LogUnavailable('the log is closed', { unwritten: true });
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    await this.writer.close();
    await this.admin.close();
  }

  private async openSubscription(
    topics: string[],
    reader: (topic: string, facts: TopicFacts) => Reader,
    leave: () => void,
  ): Promise<Subscription> {
    try {
      // All topics are looked up before the first member joins, and nothing is awaited from then on, so that closing
      // the log finds every reader.
      const known = await Promise.all(topics.map(async (topic) => ({ topic, facts: await this.topics.of(topic) })));
      this.mustBeUsable();
      const readers = new Map(known.map(({ topic, facts }) => [topic, reader(topic, facts)]));
      const subscription = new KafkaSubscription(readers, () => {
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

  private createMember(
    topic: string,
    { name, partitions, batchBytes }: TopicFacts,
    { group, limits, onBatch }: MemberSettings,
  ): Reader {
    const { logger: lines, stuckAfterMs, sessionTimeoutMs } = this.settings;
    const groupId = this.groupId(group, topic);
    const progress = new Progress();
    const member = new GroupMember({
      clients: this.clients,
      topic,
      name,
      group,
      groupId,
      lines,
      onBatch,
      progress,
      partitions,
      limits,
      stuckAfterMs,
      sessionTimeoutMs,
      partitionBytes: Math.max(MIB, batchBytes),
      check: () => this.admin.check(CHECK_TIMEOUT_MS),
      isRebalancing: () => this.admin.isRebalancing(groupId),
      tailSource: {
        commits: () => this.admin.commits(groupId, name),
        recordsAt: (positions) => lookUpRecords(this.clients.cluster('tail'), { topic, name }, positions),
        positionsAt: (timestamp) => this.admin.positionsAt(name, timestamp),
      },
      leaveBehind: (use) => this.removeFromGroups([groupId], membersNamed(this.clients.clientIdOf(use))),
    });
    // Coalesced, as many callers may wait for records accepted just now, each asking again and again.
    const extents = coalesceCalls(() => this.admin.extents(name));
    const committed = coalesceCalls(() => this.admin.committed(groupId, name));
    return { pursuit: { progress, extents, committed }, part: member };
  }

  private createFollower(topic: string, { name, batchBytes }: TopicFacts, onBatch: OnBatch): Reader {
    const progress = new Progress();
    const follower = new TopicFollower({
      clients: this.clients,
      topic,
      name,
      group: undefined,
      lines: this.settings.logger,
      onBatch,
      progress,
      limits: recordLimits(),
      partitionBytes: Math.max(MIB, batchBytes),
    });
    return { pursuit: { progress, extents: () => this.admin.extents(name) }, part: follower };
  }

  private async removeFormerMembers(groupIds: string[]): Promise<void> {
    if (this.settings.place === undefined) return;
    await this.removeFromGroups(groupIds, (members) => formerMemberIds(members, this.settings));
  }

  private removeFromGroups(groupIds: string[], former: MemberChoice): Promise<void> {
    return removeMembers(this.clients.cluster('place'), groupIds, former, this.settings.logger);
  }

  private groupId(group: string, topic: string): string {
    return `${this.settings.topicPrefix}${group}.${topic}`;
  }

  private async positionsIn(group: string, topic: string): Promise<GroupPosition[]> {
    const { name } = await this.topics.of(topic);
    // In this order, so that what is committed meanwhile is not past the end.
    const committed = await this.admin.committed(this.groupId(group, topic), name);
    const extents = await this.admin.extents(name);
    return extents.map(({ partition, low, end }) => {
      const known = committed.get(partition) ?? low;
      // Past the end is a position in an earlier topic of this name, or in what the brokers lost: all that is kept is read again.
      const at = known > end ? low : Math.max(known, low);
      return { topic, partition, committed: at, end, lag: end - at };
    });
  }
}

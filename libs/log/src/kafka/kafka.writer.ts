import { Batcher } from '@lettermill/concurrency';
import { appendByTopic, checkSize } from '../log.appends';
import { LogUnavailable, RecordTooLarge, type NewRecord } from '../log.port';
import { withCompactionKey } from '../transport/redrive.key';
import { faultType, NO_SUCH_TOPIC, type KafkaClients } from './kafka.client';
import type { KafkaSettings } from './kafka.options';
import { partitionOf } from './kafka.partition';
import { KafkaSender, NeverConnected, TOO_LARGE_ERROR } from './kafka.sender';
import { packRequests, wireBytes, type Append } from './produce.pack';
import type { TopicBook, TopicFacts } from './topic.book';

const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
const MAX_SHARED_REQUEST_BYTES = 1024 * 1024;
/** Limits of the appends that share one request: callers that were answered bring new ones while the next request is on its way. */
const SHARED_REQUEST_LIMITS = {
  items: 1_000,
  size: { most: MAX_SHARED_REQUEST_BYTES, of: ({ bytes }: WaitingAppend) => bytes },
};
/**
 * Errors after which a topic is looked up again: its limit was lowered, or it was lost, and perhaps created again with
 * other partitions.
 */
const STALE_TOPIC_ERRORS = [TOO_LARGE_ERROR, NO_SUCH_TOPIC, 'NOT_ACKNOWLEDGED'];

/**
 * Milliseconds. Appends that have waited this long when a request fails, as it found no broker or was refused, fail with
 * it: failing 64 MiB one request after the other would take minutes. A refusal often concerns one partition, and passes.
 */
const MAX_WAIT_MS = { unreachable: 5_000, refused: 10_000 };

/** How an append ended. A value, so that one that fails does not fail the others of its request. */
type Outcome = Error | undefined;

/** An append whose partitions are determined only when its turn comes, as the topic may have changed by then. */
interface WaitingAppend {
  records: NewRecord[];
  sizes: ReadonlyMap<NewRecord, number>;
  bytes: number;
  /** When it was added, in ms of `performance.now()`. */
  since: number;
}

/**
 * Writes to the brokers. Each topic has a lane with one produce request at a time, and appends that arrive meanwhile
 * share the next one, so that a key keeps its order even when a request is retried. Acknowledged by all in-sync
 * replicas. The producer is not idempotent: that of kafkajs is experimental, and consumers know an event by its id.
 */
export class KafkaWriter {
  private readonly lanes = new Map<string, Batcher<WaitingAppend, Outcome>>();
  private readonly appending = new Set<Promise<unknown>>();
  private readonly sender: KafkaSender;
  /** By topic, with what those appends fail that are still waiting though they were added before this time. */
  private readonly overdue = new Map<string, { before: number; fault: LogUnavailable }>();
  private waitingBytes = 0;

  constructor(
    private readonly settings: KafkaSettings,
    clients: KafkaClients,
    private readonly topics: TopicBook,
  ) {
    this.sender = new KafkaSender(clients);
  }

  append(records: NewRecord[]): Promise<void> {
    const appending = this.appendAll(records).finally(() => this.appending.delete(appending));
    this.appending.add(appending);
    return appending;
  }

  /** Waits for the appends in progress. */
  async close(): Promise<void> {
    while (this.appending.size > 0) await Promise.allSettled(this.appending);
    await this.sender.close();
  }

  private async appendAll(records: NewRecord[]): Promise<void> {
    for (const record of records) checkSize(record, this.settings.maxRecordBytes);
    const sizes = new Map(records.map((record) => [record, wireBytes(record)]));
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (this.waitingBytes > 0 && this.waitingBytes + bytes > this.settings.maxWaitingBytes) {
      throw new LogUnavailable('too much waits to be written', { unwritten: true });
    }
    this.waitingBytes += bytes;
    try {
      await appendByTopic(records, (topic, some) => this.appendTo(topic, some, sizes));
    } finally {
      this.waitingBytes -= bytes;
    }
  }

  private async appendTo(topic: string, records: NewRecord[], sizes: Map<NewRecord, number>): Promise<void> {
    const { batchBytes } = await this.topics.of(topic);
    let bytes = 0;
    for (const record of records) {
      const size = sizes.get(record)!;
      if (size > batchBytes) throw new RecordTooLarge(size, batchBytes);
      bytes += size;
    }
    const outcome = await this.lane(topic).add({ records, sizes, bytes, since: performance.now() });
    if (outcome) throw outcome;
  }

  /**
   * One lane for each topic, kept for good: with a new one for a topic that is looked up again, two requests would run
   * at the same time.
   */
  private lane(topic: string): Batcher<WaitingAppend, Outcome> {
    let lane = this.lanes.get(topic);
    if (!lane) {
      lane = new Batcher((...batch) => this.writeWaiting(topic, ...batch), SHARED_REQUEST_LIMITS);
      this.lanes.set(topic, lane);
    }
    return lane;
  }

  /** `waiting` is in the order of arrival, so those that have waited in vain come first. */
  private async writeWaiting(
    topic: string,
    waiting: WaitingAppend[],
    answer: (index: number, outcome: Outcome) => void,
  ): Promise<Outcome[]> {
    const overdue = this.overdue.get(topic);
    const failed = overdue ? waiting.filter(({ since }) => since <= overdue.before).map(() => overdue.fault) : [];
    // Now, not after the request of the others, which may fail, too.
    failed.forEach((fault, index) => answer(index, fault));
    const left = waiting.slice(failed.length);
    return left.length === 0 ? failed : [...failed, ...(await this.sendRequests(topic, left))];
  }

  /** Sends one request after the other, and none after one that failed: the order of a key would not be kept. */
  private async sendRequests(topic: string, waiting: WaitingAppend[]): Promise<Outcome[]> {
    const facts = await this.topics.of(topic);
    const isCompacted = this.settings.retention.keepWhole.includes(topic);
    const appends = waiting.map((append) => placedAppend(append, facts, isCompacted));
    const limits = { batchBytes: facts.batchBytes, requestBytes: MAX_REQUEST_BYTES };
    let done = 0;
    let sent = false;
    for (const { records, completes } of packRequests(appends, limits)) {
      try {
        await this.sender.send(facts.name, records);
        sent = true;
        done = completes;
      } catch (error) {
        // An append that takes several requests may be on the log in part.
        const fault = this.faultOf(error, {
          topic,
          name: facts.name,
          unwritten: !sent && error instanceof NeverConnected,
        });
        return appends.map((_append, index) => (index < done ? undefined : fault));
      }
    }
    return appends.map(() => undefined);
  }

  /** The error that callers get. If the topic may have changed, the next write looks it up again. */
  private faultOf(
    error: unknown,
    { topic, name, unwritten }: { topic: string; name: string; unwritten: boolean },
  ): Error {
    const type = faultType(error);
    if (type !== undefined && STALE_TOPIC_ERRORS.includes(type)) this.topics.forget(topic);
    const what = `${name} could not be written to (${type ?? 'no connection'})`;
    if (type !== TOO_LARGE_ERROR) {
      const maxWait = type === undefined ? MAX_WAIT_MS.unreachable : MAX_WAIT_MS.refused;
      const fault = new LogUnavailable(what, { cause: error, unwritten: true });
      this.overdue.set(topic, { before: performance.now() - maxWait, fault });
    }
    return new LogUnavailable(what, { cause: error, unwritten });
  }
}

function placedAppend(
  { records, sizes, bytes }: WaitingAppend,
  { partitions }: TopicFacts,
  isCompacted: boolean,
): Append {
  return {
    records: records.map((record) => {
      const partition = partitionOf(record.key, partitions);
      return { record: isCompacted ? withCompactionKey(record) : record, bytes: sizes.get(record)!, partition };
    }),
    bytes,
  };
}

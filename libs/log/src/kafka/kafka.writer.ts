import { Batcher } from '@lettermill/concurrency';
import { appendByTopic, checkSize } from '../log.appends';
import { LogUnavailable, RecordTooLarge, type NewRecord } from '../log.port';
import { faultType, NO_SUCH_TOPIC, type KafkaClients } from './kafka.client';
import type { KafkaSettings } from './kafka.options';
import { partitionOf } from './kafka.partition';
import { KafkaSender, NeverConnected } from './kafka.sender';
import { packRequests, wireBytes, type Append } from './produce.pack';
import type { TopicBook, TopicFacts } from './topic.book';

const REQUEST_BYTES = 8 * 1024 * 1024;
const TOGETHER_BYTES = 1024 * 1024;
/** Appends that share one request: what was answered brings new ones while the next is on its way. */
const TOGETHER = { items: 1_000, size: { most: TOGETHER_BYTES, of: ({ bytes }: Waiting) => bytes } };
/** What was looked up of a topic is not so any more: its limit was lowered, or it was lost, and perhaps made again with other partitions. */
const LOOK_AGAIN = ['MESSAGE_TOO_LARGE', NO_SUCH_TOPIC, 'NOT_ACKNOWLEDGED'];

/** What has waited so long when a request finds no broker ends with it: tried one after the other, 64 MiB would take minutes. */
const IN_VAIN_MS = 5_000;

/** How an append ended; values, so that one that fails does not take its neighbours with it. */
type Outcome = Error | undefined;

/** An append whose places are found when its turn comes: by then the topic may be another. */
interface Waiting {
  records: NewRecord[];
  sizes: ReadonlyMap<NewRecord, number>;
  bytes: number;
  /** When it came, in ms of `performance.now()`. */
  since: number;
}

/**
 * Writes to the brokers. Each topic has a lane: one produce request of it is under way, what arrives meanwhile goes
 * together in the next one, so that a key keeps its order also when a request is tried again. Acknowledged by all
 * replicas in sync. The producer is not idempotent: kafkajs' is an experiment, and consumers know an event by its id.
 */
export class KafkaWriter {
  private readonly lanes = new Map<string, Batcher<Waiting, Outcome>>();
  private readonly inHand = new Set<Promise<unknown>>();
  private readonly sender: KafkaSender;
  /** The last request of each topic that found no broker. */
  private readonly inVain = new Map<string, { at: number; fault: LogUnavailable }>();
  private waitingBytes = 0;

  constructor(
    private readonly settings: KafkaSettings,
    clients: KafkaClients,
    private readonly topics: TopicBook,
  ) {
    this.sender = new KafkaSender(clients);
  }

  append(records: NewRecord[]): Promise<void> {
    const appending = this.appendAll(records).finally(() => this.inHand.delete(appending));
    this.inHand.add(appending);
    return appending;
  }

  /** What is in hand is ended before. */
  async close(): Promise<void> {
    while (this.inHand.size > 0) await Promise.allSettled(this.inHand);
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

  /** One for ever: with another, of a topic that is looked up again, two requests would be under way. */
  private lane(topic: string): Batcher<Waiting, Outcome> {
    let lane = this.lanes.get(topic);
    if (!lane) {
      lane = new Batcher((waiting) => this.writeWaiting(topic, waiting), TOGETHER);
      this.lanes.set(topic, lane);
    }
    return lane;
  }

  /** They come in the order in which they wait: those that have waited in vain are the first. */
  private async writeWaiting(topic: string, waiting: Waiting[]): Promise<Outcome[]> {
    const vain = this.inVain.get(topic);
    const ended = vain ? waiting.filter(({ since }) => since + IN_VAIN_MS <= vain.at).map(() => vain.fault) : [];
    const left = waiting.slice(ended.length);
    return left.length === 0 ? ended : [...ended, ...(await this.write(topic, left))];
  }

  /** One request after the other. After one that failed none is sent: the order of a key would not be kept. */
  private async write(topic: string, waiting: Waiting[]): Promise<Outcome[]> {
    const facts = await this.topics.of(topic);
    const appends = waiting.map((append) => placed(append, facts));
    const limits = { batchBytes: facts.batchBytes, requestBytes: REQUEST_BYTES };
    let done = 0;
    let sent = false;
    for (const { records, completes } of packRequests(appends, limits)) {
      try {
        await this.sender.send(facts.name, records);
        sent = true;
        done = completes;
      } catch (error) {
        // Of an append that takes several requests, a part may be on the log.
        const fault = this.fault(error, {
          topic,
          name: facts.name,
          unwritten: !sent && error instanceof NeverConnected,
        });
        return appends.map((_append, index) => (index < done ? undefined : fault));
      }
    }
    return appends.map(() => undefined);
  }

  /** The next try goes by what the topic is then. */
  private fault(
    error: unknown,
    { topic, name, unwritten }: { topic: string; name: string; unwritten: boolean },
  ): Error {
    const type = faultType(error);
    if (type !== undefined && LOOK_AGAIN.includes(type)) this.topics.forget(topic);
    const what = `${name} could not be written to (${type ?? 'no connection'})`;
    if (type === undefined) {
      const fault = new LogUnavailable(what, { cause: error, unwritten: true });
      this.inVain.set(topic, { at: performance.now(), fault });
    }
    return new LogUnavailable(what, { cause: error, unwritten });
  }
}

function placed({ records, sizes, bytes }: Waiting, { partitions }: TopicFacts): Append {
  return {
    records: records.map((record) => {
      return { record, bytes: sizes.get(record)!, partition: partitionOf(record.key, partitions) };
    }),
    bytes,
  };
}

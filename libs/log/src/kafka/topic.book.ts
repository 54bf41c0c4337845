import type { Admin, ITopicConfig } from 'kafkajs';
import { LogUnavailable } from '../log.port';
import type { BrokerAdmin } from './broker.admin';
import { COMPRESSION, reportUnreadable, wantedCompression } from './compression';
import { faultType, NO_SUCH_TOPIC, type KafkaClients } from './kafka.client';
import { maxBatchBytes, topicConfig, type KafkaSettings } from './kafka.options';
import { isRightRefused, RightRefused } from './not.ready';
import { createMissingTopics } from './topic.maker';
import { missingTopicsText } from './missing.topics';
import { changeSettings, settingsOfTopic, type TopicSettings } from './topic.settings';

/**
 * The settings of an existing topic that are changed to the configured value. Partitions and cleanup policy never are:
 * the order of keys and the history depend on them.
 */
const ADJUSTED_SETTINGS = ['retention.ms', COMPRESSION];
/** How many replicas must have a record before it is acknowledged (`acks=all`). */
const IN_SYNC = 'min.insync.replicas';

/** What writers must know of a topic. Looked up once, as the number of partitions decides where a key lies. */
export interface TopicFacts {
  /** As the brokers name it. */
  name: string;
  partitions: number;
  /** Bytes of the largest batch that the topic takes in one partition. */
  batchBytes: number;
}

/** The topics on the brokers. Missing ones are created; of existing ones, only retention and compression are changed. */
export class TopicBook {
  private readonly facts = new Map<string, Promise<TopicFacts>>();

  constructor(
    private readonly settings: KafkaSettings,
    private readonly clients: KafkaClients,
    private readonly admin: BrokerAdmin,
  ) {}

  /** `topic` with the prefix that it has on the brokers. */
  nameOf(topic: string): string {
    return this.settings.topicPrefix + topic;
  }

  /** Idempotent, also when other processes do the same. Other differences from the options are logged as warnings and left. */
  async make(topics: string[]): Promise<void> {
    const wanted = topics.map((topic) => this.configFor(topic));
    // A process that creates no topics must notice as well when no broker answers.
    if (wanted.length === 0) await this.admin.ask((admin) => admin.describeCluster());
    else await createMissingTopics(() => this.clients.silentAdmin(), wanted);
    for (const topic of topics) await this.of(topic);
  }

  /** Rejects with `LogUnavailable`, also when there is no such topic. */
  of(topic: string): Promise<TopicFacts> {
    let facts = this.facts.get(topic);
    if (!facts) {
      facts = this.admin.ask((admin) => this.lookUp(admin, topic));
      this.facts.set(topic, facts);
      facts.catch(() => this.facts.delete(topic));
    }
    return facts;
  }

  /** Makes the next `of` look the topic up again. */
  forget(topic: string): void {
    this.facts.delete(topic);
  }

  private configFor(topic: string): ITopicConfig {
    const { partitions, replication } = this.settings;
    const configEntries = Object.entries(topicConfig(topic, this.settings)).map(([name, value]) => ({ name, value }));
    return { topic: this.nameOf(topic), numPartitions: partitions, replicationFactor: replication, configEntries };
  }

  private async lookUp(admin: Admin, topic: string): Promise<TopicFacts> {
    const name = this.nameOf(topic);
    const { partitions, replicas } = await layoutOf(admin, name);
    const found = await settingsOfTopic(admin, name, this.settings.logger);
    const compression = found.all.get(COMPRESSION);
    const wanted = { ...topicConfig(topic, this.settings), [COMPRESSION]: wantedCompression(compression) };
    if (!this.settings.topicsAsTheyAre) await this.adjust(admin, name, wanted, found);
    reportUnreadable(name, compression, this.settings.logger);
    const { replication } = this.settings;
    this.reportDifferences(
      name,
      {
        ...wanted,
        partitions: `${this.settings.partitions}`,
        // -1 leaves it to the brokers.
        ...(replication > 0 && { replication: `${replication}` }),
      },
      found.all.set('partitions', `${partitions}`).set('replication', `${replicas}`),
    );
    this.checkInSync(name, replicas, found.all.get(IN_SYNC));
    if (replicas === 1 && replication < 1) await this.checkSingleCopy(admin, name);
    const batchBytes = Number(found.all.get('max.message.bytes') ?? maxBatchBytes(this.settings));
    return { name, partitions, batchBytes };
  }

  /** When several processes have different options, the last one to start wins; each logs what it changes. */
  private async adjust(
    admin: Admin,
    topic: string,
    wanted: Record<string, string>,
    found: TopicSettings,
  ): Promise<void> {
    const { logger } = this.settings;
    const changes = changesOf(wanted, found.all);
    if (changes.length === 0) return;
    try {
      await changeSettings(admin, topic, found, Object.fromEntries(changes.map(({ setting, is }) => [setting, is])));
      for (const { setting, was, is } of changes) {
        found.all.set(setting, is);
        logger.warn({ topic, setting, was, is }, 'a setting of a topic was changed to the configured one');
      }
    } catch (error) {
      // Left as it is; `reportDifferences` logs the difference.
      const setting = changes.map((change) => change.setting).join(', ');
      const fields = { topic, setting, code: faultType(error), needs: 'AlterConfigs' };
      logger.warn(fields, 'settings of a topic could not be changed');
    }
  }

  /** A single broker is an obvious risk; several that have no copies look safe and are not. One copy is Kafka's own default. */
  private async checkSingleCopy(admin: Admin, topic: string): Promise<void> {
    const brokers = await admin.describeCluster().then(
      (cluster) => cluster.brokers.length,
      () => 1,
    );
    if (brokers < 2) return;
    const fields = { topic, setting: 'replication', wanted: `${Math.min(brokers, 3)}`, is: '1' };
    this.settings.logger.warn(fields, 'a topic lies on one of several brokers alone, and is away or lost with it');
  }

  /** Copies that need not agree look safe and are not. */
  private checkInSync(topic: string, replicas: number, inSync: string | undefined): void {
    if (replicas < 2 || inSync !== '1') return;
    const fields = { topic, setting: IN_SYNC, wanted: '2', is: inSync };
    this.settings.logger.warn(fields, 'a record may be acknowledged by one broker alone, and lost with it');
  }

  private reportDifferences(topic: string, wanted: Record<string, string>, found: Map<string, string>): void {
    for (const [setting, value] of Object.entries(wanted)) {
      const is = found.get(setting);
      if (is === undefined || is === value) continue;
      const fields = { topic, setting, wanted: value, is };
      this.settings.logger.warn(fields, 'a topic differs from the configuration; it is left as it is');
    }
  }
}

interface Change {
  setting: string;
  was: string;
  is: string;
}

/** A setting that the brokers do not tell is taken to be as configured. */
function changesOf(wanted: Record<string, string>, found: ReadonlyMap<string, string>): Change[] {
  return ADJUSTED_SETTINGS.flatMap((setting) => {
    const [is, was] = [wanted[setting], found.get(setting)];
    return is === undefined || was === undefined || is === was ? [] : [{ setting, was, is }];
  });
}

/**
 * Rejects with `LogUnavailable` when the topic does not exist: brokers then answer with an error, or leave it out.
 * `name` as the brokers name it.
 */
async function layoutOf(admin: Admin, name: string): Promise<{ partitions: number; replicas: number }> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    const partitions = topics[0]?.partitions ?? [];
    const replicas = Math.min(...partitions.map((partition) => partition.replicas.length));
    if (partitions.length > 0) return { partitions: partitions.length, replicas };
  } catch (error) {
    if (isRightRefused(error)) throw new RightRefused('Describe', [name], error);
    if (faultType(error) !== NO_SUCH_TOPIC) throw error;
    throw new LogUnavailable(missingTopicsText([name]), { cause: error });
  }
  throw new LogUnavailable(missingTopicsText([name]));
}

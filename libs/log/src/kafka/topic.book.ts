import type { Admin } from 'kafkajs';
import { LogUnavailable } from '../log.port';
import type { BrokerAdmin } from './broker.admin';
import { maxBatchBytes, topicConfig, type KafkaSettings } from './kafka.options';

/** ConfigResourceTypes.TOPIC of the protocol. */
const TOPIC_RESOURCE = 2;

/** What writers must know of a topic. It is looked up once: the number of partitions decides where a key lies. */
export interface TopicFacts {
  /** As the brokers name it. */
  name: string;
  partitions: number;
  /** Bytes of the largest batch that the topic takes in one partition. */
  batchBytes: number;
}

/** The topics on the brokers: made when they are missing, never changed when they are there. */
export class TopicBook {
  private readonly facts = new Map<string, Promise<TopicFacts>>();

  constructor(
    private readonly settings: KafkaSettings,
    private readonly admin: BrokerAdmin,
  ) {}

  /** `topic` with the prefix that it has on the brokers. */
  nameOf(topic: string): string {
    return this.settings.topicPrefix + topic;
  }

  /** Idempotent, also against other processes. What differs from the options is told in a warning and left. */
  async make(topics: string[]): Promise<void> {
    await this.admin.ask(async (admin) => {
      const there = new Set(await admin.listTopics());
      for (const topic of topics) if (!there.has(this.nameOf(topic))) await this.makeOne(admin, topic);
    });
    for (const topic of topics) await this.of(topic);
  }

  /** Rejects with `LogUnavailable`, also when there is no such topic. */
  of(topic: string): Promise<TopicFacts> {
    let facts = this.facts.get(topic);
    if (!facts) {
      facts = this.admin.ask((admin) => this.look(admin, topic));
      this.facts.set(topic, facts);
      facts.catch(() => this.facts.delete(topic));
    }
    return facts;
  }

  /** Looks the topic up again when it is asked for next. */
  forget(topic: string): void {
    this.facts.delete(topic);
  }

  private async makeOne(admin: Admin, topic: string): Promise<void> {
    const { partitions, replication } = this.settings;
    const configEntries = Object.entries(topicConfig(topic, this.settings)).map(([name, value]) => ({ name, value }));
    const wanted = { topic: this.nameOf(topic), numPartitions: partitions, replicationFactor: replication };
    // False when another process was quicker.
    await admin.createTopics({ topics: [{ ...wanted, configEntries }] });
  }

  private async look(admin: Admin, topic: string): Promise<TopicFacts> {
    const name = this.nameOf(topic);
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    const partitions = topics[0]?.partitions.length ?? 0;
    if (partitions === 0) throw new LogUnavailable(`the brokers have no topic ${name}`);
    const wanted = topicConfig(topic, this.settings);
    const found = await configOf(admin, name, Object.keys(wanted));
    this.compare(
      name,
      { ...wanted, partitions: String(this.settings.partitions) },
      found.set('partitions', `${partitions}`),
    );
    const batchBytes = Number(found.get('max.message.bytes') ?? maxBatchBytes(this.settings));
    return { name, partitions, batchBytes };
  }

  private compare(topic: string, wanted: Record<string, string>, found: Map<string, string>): void {
    for (const [setting, value] of Object.entries(wanted)) {
      const is = found.get(setting);
      if (is === undefined || is === value) continue;
      const fields = { topic, setting, wanted: value, is };
      this.settings.logger.warn(fields, 'a topic is set up otherwise than configured; it is left as it is');
    }
  }
}

/** Settings of a topic; none when the brokers do not let us look. */
async function configOf(admin: Admin, name: string, configNames: string[]): Promise<Map<string, string>> {
  const resources = [{ type: TOPIC_RESOURCE, name, configNames }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false }).catch(() => undefined);
  const entries = answer?.resources[0]?.configEntries ?? [];
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}

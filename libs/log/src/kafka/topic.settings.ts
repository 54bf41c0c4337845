import type { Admin } from 'kafkajs';
import type { LogLines } from '../log.lines';
import { faultType } from './kafka.client';

/** ConfigResourceTypes.TOPIC of the protocol. */
const TOPIC_RESOURCE = 2;
/** Of the protocol: a setting of the topic itself, not a default of its brokers. */
const OF_THE_TOPIC = 1;

/** What a topic is set to, by Kafka's names. */
export interface TopicSettings {
  /** Every setting that was asked for. */
  all: Map<string, string>;
  /** Those that are the topic's own. */
  own: Map<string, string>;
}

/** All settings of a topic; none, and a line about it, when the brokers do not let us look. `topic` as the brokers name it. */
export async function settingsOfTopic(admin: Admin, topic: string, lines: LogLines): Promise<TopicSettings> {
  const resources = [{ type: TOPIC_RESOURCE, name: topic, configNames: [] }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false }).catch((error: unknown) => {
    const fields = { topic, code: faultType(error), needs: 'DescribeConfigs' };
    lines.warn(fields, 'how a topic is set up could not be looked up; it is taken to be as configured');
  });
  const entries = answer?.resources[0]?.configEntries ?? [];
  const values = (some: typeof entries) =>
    new Map(some.map(({ configName, configValue }) => [configName, configValue]));
  const source = (entry: object) => (entry as { configSource?: number }).configSource;
  return { all: values(entries), own: values(entries.filter((entry) => source(entry) === OF_THE_TOPIC)) };
}

/**
 * Changes some settings of a topic and keeps its others. kafkajs knows the protocol's older call alone, which sets all that is the
 * topic's own anew: what another hand changes in the same moment is taken back.
 */
export async function changeSettings(
  admin: Admin,
  topic: string,
  { own }: TopicSettings,
  changes: Record<string, string>,
): Promise<void> {
  const all = new Map([...own, ...Object.entries(changes)]);
  const configEntries = [...all].map(([name, value]) => ({ name, value }));
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: TOPIC_RESOURCE, name: topic, configEntries }] });
}

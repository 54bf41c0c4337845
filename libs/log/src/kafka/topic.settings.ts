import type { Admin } from 'kafkajs';
import type { LogLines } from '../log.lines';
import { faultType } from './kafka.client';

/** ConfigResourceTypes.TOPIC of the protocol. */
const TOPIC_RESOURCE = 2;
/** Source of a setting in the protocol: the topic itself, not a default of its brokers. */
const TOPIC_SOURCE = 1;

/** The settings of a topic, by Kafka's names. */
export interface TopicSettings {
  /** Every setting that was asked for. */
  all: Map<string, string>;
  /** Those that are the topic's own. */
  own: Map<string, string>;
}

/** All settings of a topic; none, and a line in the log, when the brokers do not tell them. `topic` as the brokers name it. */
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
  return { all: values(entries), own: values(entries.filter((entry) => source(entry) === TOPIC_SOURCE)) };
}

/**
 * Changes some settings of a topic and keeps its others. kafkajs only has the protocol's older call, which replaces all
 * settings of the topic itself: a change that somebody else makes at the same moment is undone.
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

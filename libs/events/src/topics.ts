import type { Priority } from './parts';

/** Topic families (docs/events.md). `deadLetter` holds records as they came, not events of ours. */
export const TOPICS = {
  messageRequested: 'message-requested',
  contactUpserted: 'contact-upserted',
  messageQueued: 'message-queued',
  messageOutcome: 'message-outcome',
  campaignLaunched: 'campaign-launched',
  deadLetter: 'dead-letter',
} as const;
export type TopicFamily = (typeof TOPICS)[keyof typeof TOPICS];

/** Most urgent first. */
const PRIORITIES_BY_URGENCY = ['high', 'normal', 'bulk'] as const satisfies Priority[];

/**
 * Families with a topic for each priority, so that nothing waits behind what is less urgent (ADR 20). From
 * `message-queued` on, dispatch keeps that order.
 */
const FAMILIES_BY_PRIORITY: ReadonlySet<string> = new Set<TopicFamily>([
  TOPICS.messageRequested,
  TOPICS.contactUpserted,
]);

/** The topic of a family's events of one priority; that of `normal` has the name of the family. */
export function topicOf(family: TopicFamily, priority: Priority = 'normal'): string {
  return priority === 'normal' || !FAMILIES_BY_PRIORITY.has(family) ? family : `${family}-${priority}`;
}

/** All topics of a family, the most urgent first. */
export function topicsOf(family: TopicFamily): string[] {
  return FAMILIES_BY_PRIORITY.has(family)
    ? PRIORITIES_BY_URGENCY.map((priority) => topicOf(family, priority))
    : [family];
}

/** The priority of the events in a topic. */
export function priorityOf(topic: string): Priority {
  return PRIORITIES_BY_URGENCY.find((priority) => topic.endsWith(`-${priority}`)) ?? 'normal';
}

/** The topics of the family that are less urgent than this one. */
export function lessUrgentTopics(family: TopicFamily, topic: string): string[] {
  const topics = topicsOf(family);
  return topics.slice(topics.indexOf(topic) + 1);
}

export const ALL_TOPICS = Object.values(TOPICS).flatMap(topicsOf);

/** Topics in which the last record of each key stays for ever, so that contacts and campaigns can be rebuilt from the log alone. */
export const COMPACTED_TOPICS = [TOPICS.contactUpserted, TOPICS.campaignLaunched].flatMap(topicsOf);

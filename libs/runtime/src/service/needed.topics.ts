import { CATALOG, TOPICS, topicsOf } from '@lettermill/events';

/** The topics that a service needs: those it writes, and those it reads as a consumer group, with the topic of dead letters. */
export function neededTopics(service: string, read: string[]): string[] {
  const written = Object.values(CATALOG).flatMap(({ topic, by }) =>
    (by as readonly string[]).includes(service) ? topicsOf(topic) : [],
  );
  return [...new Set([...written, ...read, ...(read.length > 0 ? [TOPICS.deadLetter] : [])])];
}

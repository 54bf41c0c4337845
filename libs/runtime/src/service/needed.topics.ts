import { CATALOG, TOPICS, topicsOf } from '@lettermill/events';

/** The topics without which a service can't do its work: those it writes, and those it reads as a group, with the one for what it can't handle. */
export function neededTopics(service: string, read: string[]): string[] {
  const written = Object.values(CATALOG).flatMap(({ topic, by }) =>
    (by as readonly string[]).includes(service) ? topicsOf(topic) : [],
  );
  return [...new Set([...written, ...read, ...(read.length > 0 ? [TOPICS.deadLetter] : [])])];
}

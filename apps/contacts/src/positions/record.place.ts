import { TOPICS } from '@lettermill/events';

/**
 * A partition of one of the topics of `message-requested`, as it is stored: its number, preceded by its topic unless that is the one of
 * `normal`.
 */
export type Place = string;

export interface Partition {
  topic: string;
  partition: number;
}

export function placeOf({ topic, partition }: Partition): Place {
  return topic === TOPICS.messageRequested ? String(partition) : `${topic}/${partition}`;
}

export function partitionAt(place: Place): Partition {
  const [partition, topic = TOPICS.messageRequested] = place.split('/').reverse();
  return { topic, partition: Number(partition) };
}

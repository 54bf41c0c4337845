import { TOPICS } from '@lettermill/events';

/** A partition of the topics of `message-requested`, as it is kept: its number, behind its topic where that is not the one of `normal`. */
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

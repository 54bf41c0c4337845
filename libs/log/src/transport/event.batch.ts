import type { ReceivedEvent } from '@lettermill/events';

/** What a handler of `@EventPattern(TOPICS.…)` is given: decoded events of one topic, in order within a partition. */
export interface EventBatch {
  topic: string;
  events: ReceivedEvent[];
  /** Keeps the group membership alive during long work. */
  heartbeat(): Promise<void>;
  /** True once the service is draining. */
  readonly stopping: boolean;
}

import { pause } from '@lettermill/concurrency';
import type { Admin, ITopicConfig } from 'kafkajs';
import { BrokerAdmin } from './broker.admin';
import { faultType, NO_SUCH_TOPIC } from './kafka.client';
import { isRightRefused, RightRefused } from './not.ready';

/**
 * Errors that brokers answer for a topic created a moment ago: not known yet, no leader yet, a leader that does not
 * know that it is one.
 */
const SETTLING_ERRORS = [NO_SUCH_TOPIC, 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
const LOOKUP_TIMEOUT_MS = 20_000;
const SETTLE_TIMEOUT_MS = 5_000;
const RETRY_DELAY_MS = 100;

/**
 * Creates those of the topics that are missing, while other processes may do the same. The client logs nothing, as
 * these errors are expected: a topic is missing, or another process was quicker and it exists. Any other error is
 * thrown. Rejects with `LogUnavailable`.
 */
export async function createMissingTopics(makeAdmin: () => Admin, topics: ITopicConfig[]): Promise<void> {
  const maker = new BrokerAdmin(makeAdmin);
  try {
    const names = topics.map(({ topic }) => topic);
    const missing = new Set(await maker.missing(names, LOOKUP_TIMEOUT_MS));
    const wanted = topics.filter(({ topic }) => missing.has(topic));
    if (wanted.length === 0) return;
    await maker.ask(async (admin) => {
      // One by one, so that the error names the first topic that cannot be created. `createTopics` resolves with false
      // when another process was quicker. `waitForLeaders` is off, as kafkajs then gives up on a topic that the broker
      // does not know yet.
      for (const topic of wanted) await createTopic(admin, topic);
      for (const { topic } of wanted) await waitUntilSettled(admin, topic);
    });
  } finally {
    await maker.close();
  }
}

async function createTopic(admin: Admin, topic: ITopicConfig): Promise<void> {
  try {
    await admin.createTopics({ topics: [topic], waitForLeaders: false });
  } catch (error) {
    throw isRightRefused(error) ? new RightRefused('Create', [topic.topic], error) : error;
  }
}

/** Resolves when the leader of each partition takes requests. */
async function waitUntilSettled(admin: Admin, topic: string): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    try {
      // The metadata name the leader; only the leader itself can tell where a partition ends.
      await admin.fetchTopicMetadata({ topics: [topic] });
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!SETTLING_ERRORS.includes(faultType(error) ?? '') || Date.now() > deadline) throw error;
    }
    await pause(RETRY_DELAY_MS);
  }
}

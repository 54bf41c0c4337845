import { pause } from '@lettermill/concurrency';
import type { Admin, ITopicConfig } from 'kafkajs';
import { BrokerAdmin } from './broker.admin';
import { faultType, NO_SUCH_TOPIC } from './kafka.client';
import { isRefused, RightRefused } from './not.ready';

/**
 * Errors that brokers answer for a topic created a moment ago: not known yet, no leader yet, a leader that does not
 * know that it is one.
 */
const SETTLING = [NO_SUCH_TOPIC, 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
const ASKED_WITHIN_MS = 20_000;
const SETTLED_WITHIN_MS = 5_000;
const AGAIN_MS = 100;

/**
 * Creates those of the topics that are missing, while other processes may do the same. The client logs nothing, as
 * these errors are expected: a topic is missing, or another process was quicker and it exists. Any other error is
 * thrown. Rejects with `LogUnavailable`.
 */
export async function makeMissing(silent: () => Admin, topics: ITopicConfig[]): Promise<void> {
  const maker = new BrokerAdmin(silent);
  try {
    const names = topics.map(({ topic }) => topic);
    const missing = new Set(await maker.missing(names, ASKED_WITHIN_MS));
    const wanted = topics.filter(({ topic }) => missing.has(topic));
    if (wanted.length === 0) return;
    await maker.ask(async (admin) => {
      // One by one, so that the error names the first topic that cannot be created. `createTopics` resolves with false
      // when another process was quicker. `waitForLeaders` is off, as kafkajs then gives up on a topic that the broker
      // does not know yet.
      for (const topic of wanted) await create(admin, topic);
      for (const { topic } of wanted) await settled(admin, topic);
    });
  } finally {
    await maker.close();
  }
}

async function create(admin: Admin, topic: ITopicConfig): Promise<void> {
  try {
    await admin.createTopics({ topics: [topic], waitForLeaders: false });
  } catch (error) {
    throw isRefused(error) ? new RightRefused('Create', [topic.topic], error) : error;
  }
}

/** Resolves when the leader of each partition takes requests. */
async function settled(admin: Admin, topic: string): Promise<void> {
  const end = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    try {
      // The metadata name the leader; only the leader itself can tell where a partition ends.
      await admin.fetchTopicMetadata({ topics: [topic] });
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!SETTLING.includes(faultType(error) ?? '') || Date.now() > end) throw error;
    }
    await pause(AGAIN_MS);
  }
}

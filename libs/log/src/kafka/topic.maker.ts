import { pause } from '@lettermill/concurrency';
import type { Admin, ITopicConfig } from 'kafkajs';
import { BrokerAdmin } from './broker.admin';
import { faultType, NO_SUCH_TOPIC } from './kafka.client';
import { isRefused, RightRefused } from './not.ready';

/** What brokers say of a topic that was made a moment ago: not heard of yet, no leader yet, a leader that does not know that it is one. */
const SETTLING = [NO_SUCH_TOPIC, 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
const ASKED_WITHIN_MS = 20_000;
const SETTLED_WITHIN_MS = 5_000;
const AGAIN_MS = 100;

/**
 * Makes those of the topics that are missing, beside others who do the same. By a client that logs nothing: that one is missing, or for
 * whoever is second that it is there, is all that is wanted. What else goes wrong is thrown, with its name. Rejects with `LogUnavailable`.
 */
export async function makeMissing(silent: () => Admin, topics: ITopicConfig[]): Promise<void> {
  const maker = new BrokerAdmin(silent);
  try {
    const names = topics.map(({ topic }) => topic);
    const missing = new Set(await maker.missing(names, ASKED_WITHIN_MS));
    const wanted = topics.filter(({ topic }) => missing.has(topic));
    if (wanted.length === 0) return;
    await maker.ask(async (admin) => {
      // One by one, so that the first that can not be made is the one that is told. False where another was quicker. What kafkajs
      // calls waiting for leaders gives up at a topic that the broker has not heard of yet.
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
      // First who leads; only the leaders themselves can tell where a partition ends.
      await admin.fetchTopicMetadata({ topics: [topic] });
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!SETTLING.includes(faultType(error) ?? '') || Date.now() > end) throw error;
    }
    await pause(AGAIN_MS);
  }
}

import type { InnerRunner } from 'kafkajs/src/consumer/runner.js';

/** The protocol's name of the error about a topic or partition that does not exist. */
export const NO_SUCH_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
/** The protocol's name of a broker's answer that it is not, or no longer, the coordinator of the group. */
const NOT_COORDINATOR = 'NOT_COORDINATOR_FOR_GROUP';
const MAX_UNANSWERED_HEARTBEATS = 3;
const mended = new WeakSet<InnerRunner>();
/** The heartbeats of a consumer that failed without an answer, since the last that had one. */
const unanswered = new WeakMap<InnerRunner, Set<unknown>>();

/**
 * kafkajs 2.2.4 restarts its fetchers when a broker joins or leaves. If its consumer is stopped at that moment, the old
 * fetchers are stopped and the new ones are not: they keep asking a consumer that answers with nothing at once, for
 * ever, so that no timer or socket of the process gets its turn again. Here a fetcher that asks a stopped consumer is
 * stopped.
 *
 * kafkajs also keeps asking for a topic that is gone. When it is created again, its consumer goes on at the position
 * that it had in the former one, and what the new one holds before that is never read. Here such a consumer ends: the
 * one that replaces it asks the brokers for its position.
 */
export function mendRunner(runner: InnerRunner): void {
  if (mended.has(runner)) return;
  mended.add(runner);
  const { fetch, heartbeat } = runner;

  runner.heartbeat = async function (this: InnerRunner) {
    try {
      await heartbeat.call(this);
      unanswered.delete(this);
    } catch (error) {
      if (typeof (error as { type?: unknown }).type === 'string') unanswered.delete(this);
      else noteUnanswered(this, error);
      throw error;
    }
  };

  runner.fetch = async function (this: InnerRunner, nodeId) {
    if (!this.running) {
      void this.fetchManager.stop();
      return [];
    }
    try {
      return await fetch.call(this, nodeId);
    } catch (error) {
      const isTopicGone = (error as { type?: unknown }).type === NO_SUCH_TOPIC;
      throw isTopicGone ? Object.assign(error as Error, { retriable: false }) : error;
    }
  };
}

/** Several fetchers may share one heartbeat, and so its error. */
function noteUnanswered(runner: InnerRunner, error: unknown): void {
  const errors = (unanswered.get(runner) ?? new Set()).add(error);
  unanswered.set(runner, errors);
  if (errors.size < MAX_UNANSWERED_HEARTBEATS) return;
  unanswered.delete(runner);
  Object.assign(error as Error, { type: NOT_COORDINATOR, retriable: false });
}

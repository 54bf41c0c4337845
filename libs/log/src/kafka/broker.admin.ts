import { withTimeout } from '@lettermill/concurrency';
import type { Admin } from 'kafkajs';
import { LogUnavailable } from '../log.port';
import type { Commit } from './commit.note';
import { faultType, NO_SUCH_TOPIC } from './kafka.client';
import { isRightRefused, RightRefused } from './not.ready';
import { SharedClient, type UsedClient } from './shared.client';

/**
 * kafkajs asks two of the brokers, by chance: while one of several hangs, a question that is repeated gets past it. Not
 * always: once the others count it out, each question over a connection that was there before waits for it to end.
 */
const REPEAT_MS = 200;
const REPEATS_PER_CLIENT = 3;
const MAX_REPEATS = 12;

/** Answers about a group's coordinator: the connection is as good as before, and each question looks for the coordinator anew. */
const COORDINATOR_ANSWERS = ['GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR_FOR_GROUP'];

const REBALANCE_STATES = ['PreparingRebalance', 'CompletingRebalance'];

/** First kept position and end of one partition. */
export interface Extent {
  partition: number;
  low: number;
  end: number;
}

/** Asks the brokers over one connection, which is kept, and replaced after a fault. Rejects with `LogUnavailable`. */
export class BrokerAdmin {
  private readonly admins: SharedClient<Admin>;
  private closed = false;

  constructor(make: () => Admin) {
    this.admins = new SharedClient(make);
  }

  /** Rejects when no broker answers within the time. */
  async check(timeoutMs: number): Promise<void> {
    await this.askWithin(timeoutMs, (admin) => admin.describeCluster());
  }

  /** Those of the topics (as the brokers name them) that do not exist. Rejects when no broker answers within the time. */
  async missing(topics: string[], timeoutMs: number): Promise<string[]> {
    return this.askWithin(timeoutMs, async (admin) => {
      if ((await lookUpTopics(admin, topics)) === true) return [];
      // The brokers' answer about several topics does not say which one is missing.
      const found = await Promise.all(topics.map(async (topic) => ({ topic, is: await lookUpTopics(admin, [topic]) })));
      const hidden = found.filter(({ is }) => isRightRefused(is));
      if (hidden.length > 0) throw new RightRefused('Describe', namesOf(hidden), hidden[0]!.is);
      return namesOf(found.filter(({ is }) => is !== true));
    });
  }

  /** `topic` as the brokers name it. */
  extents(topic: string): Promise<Extent[]> {
    return this.ask(async (admin) => {
      const offsets = await admin.fetchTopicOffsets(topic);
      const extents = offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), end: Number(high) }));
      return extents.sort((one, other) => one.partition - other.partition);
    });
  }

  /** Committed positions by partition; a partition that has none is left out. */
  async committed(groupId: string, topic: string): Promise<Map<number, number>> {
    const commits = await this.commits(groupId, topic);
    return new Map([...commits].map(([partition, { offset }]) => [partition, offset]));
  }

  /** As `committed`, with the text beside each position. */
  commits(groupId: string, topic: string): Promise<Map<number, Commit>> {
    return this.ask(async (admin) => {
      const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const partitions = answer?.partitions ?? [];
      const commits = partitions.map(({ partition, offset, metadata }): [number, Commit] => {
        return [partition, { offset: Number(offset), metadata }];
      });
      return new Map(commits.filter(([, { offset }]) => offset >= 0));
    });
  }

  /** By partition, the position of the first record of that time or later, else the end. */
  positionsAt(topic: string, timestamp: number): Promise<Map<number, number>> {
    return this.ask(async (admin) => {
      const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, timestamp);
      return new Map(offsets.map(({ partition, offset }) => [partition, Number(offset)]));
    });
  }

  /** Whether the coordinator waits for members of the group to join it again. */
  isRebalancing(groupId: string): Promise<boolean> {
    return this.ask(async (admin) => {
      const { groups } = await admin.describeGroups([groupId]);
      return REBALANCE_STATES.includes(groups[0]?.state ?? '');
    });
  }

  async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askOver(this.takeClient(), question);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.admins.close();
  }

  /** A connection without an answer within the time may lead to a host that is gone: the next question goes over another one. */
  private async askWithin<T>(timeoutMs: number, question: (admin: Admin) => Promise<T>): Promise<T> {
    let held = this.takeClient();
    const askAgain = async (repeats: number): Promise<T> => {
      if (repeats % REPEATS_PER_CLIENT === 0) this.admins.giveUp(held);
      held = this.takeClient();
      return this.askOver(held, question);
    };
    const answer = firstAnswer(this.askOver(held, question), askAgain);
    return withTimeout(timeoutMs, answer, () => {
      this.admins.giveUp(held);
      return new LogUnavailable('the brokers do not answer');
    });
  }

  private takeClient(): UsedClient<Admin> {
    if (this.closed) throw new LogUnavailable('the log is closed');
    return this.admins.take();
  }

  private async askOver<T>(held: UsedClient<Admin>, question: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      return await question(await held.client);
    } catch (error) {
      // An error that `question` itself raises is no fault of the connection.
      if (error instanceof LogUnavailable) throw error;
      const type = faultType(error);
      if (type === undefined || !COORDINATOR_ANSWERS.includes(type)) this.admins.giveUp(held);
      throw new LogUnavailable(`the brokers did not answer (${type ?? 'no connection'})`, { cause: error });
    } finally {
      this.admins.giveBack(held);
    }
  }
}

/**
 * The first answer to a question that is asked again while there is none. It is also asked once more after an error, as
 * only the broker at the other end of that connection may be away; a second error is the answer.
 */
function firstAnswer<T>(asked: Promise<T>, askAgain: (repeats: number) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let repeats = 0;
    /** Whether an error is the end of it. */
    let isLast = false;
    const timer = setInterval(() => {
      repeats += 1;
      if (repeats === MAX_REPEATS) clearInterval(timer);
      listen(askAgain(repeats));
    }, REPEAT_MS);
    const end = () => {
      clearInterval(timer);
      isLast = true;
    };
    const succeed = (answer: T) => (end(), resolve(answer));
    const fail = (error: Error) => {
      if (isLast) return (end(), reject(error));
      isLast = true;
      listen(askAgain(1));
    };
    const listen = (one: Promise<T>) => void one.then(succeed, fail);
    listen(asked);
  });
}

/**
 * Resolves with true if all the topics exist, else with the brokers' error. Asks for these topics alone, as the leader
 * of somebody else's topic may be unavailable.
 */
async function lookUpTopics(admin: Admin, topics: string[]): Promise<unknown> {
  try {
    await admin.fetchTopicMetadata({ topics });
    return true;
  } catch (error) {
    if (faultType(error) === NO_SUCH_TOPIC || isRightRefused(error)) return error;
    throw error;
  }
}

function namesOf(found: { topic: string }[]): string[] {
  return found.map(({ topic }) => topic);
}

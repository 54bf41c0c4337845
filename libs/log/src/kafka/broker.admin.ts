import { inTime } from '@lettermill/concurrency';
import type { Admin } from 'kafkajs';
import { LogUnavailable } from '../log.port';
import { faultType, NO_SUCH_TOPIC } from './kafka.client';
import { isRefused, RightRefused } from './not.ready';
import { SharedClient, type Held } from './shared.client';

/** First kept position and end of one partition. */
export interface Extent {
  partition: number;
  low: number;
  end: number;
}

/** Asks the brokers, over one connection that is kept, and made anew after a fault. Rejects with `LogUnavailable`. */
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

  /** Those of the topics, all as the brokers name them, that they have not. Rejects when no broker answers within the time. */
  async missing(topics: string[], timeoutMs: number): Promise<string[]> {
    return this.askWithin(timeoutMs, async (admin) => {
      if ((await look(admin, topics)) === true) return [];
      // The brokers' answer about several does not say which.
      const found = await Promise.all(topics.map(async (topic) => ({ topic, is: await look(admin, [topic]) })));
      const hidden = found.filter(({ is }) => isRefused(is));
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

  /** Committed positions by partition; one that has none is left out. */
  committed(groupId: string, topic: string): Promise<Map<number, number>> {
    return this.ask(async (admin) => {
      const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const partitions = answer?.partitions ?? [];
      const positions = partitions.map(({ partition, offset }): [number, number] => [partition, Number(offset)]);
      return new Map(positions.filter(([, offset]) => offset >= 0));
    });
  }

  async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askOver(this.take(), question);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.admins.close();
  }

  /** A connection on which no answer has come by then may be one to a host that is gone: the next question goes over another. */
  private async askWithin<T>(timeoutMs: number, question: (admin: Admin) => Promise<T>): Promise<T> {
    const held = this.take();
    return inTime(timeoutMs, this.askOver(held, question), () => {
      this.admins.giveUp(held);
      return new LogUnavailable('the brokers do not answer');
    });
  }

  private take(): Held<Admin> {
    if (this.closed) throw new LogUnavailable('the log is closed');
    return this.admins.take();
  }

  private async askOver<T>(held: Held<Admin>, question: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      return await question(await held.client);
    } catch (error) {
      // What the question makes of an answer is no fault of the connection.
      if (error instanceof LogUnavailable) throw error;
      this.admins.giveUp(held);
      throw new LogUnavailable(`the brokers did not answer (${faultType(error) ?? 'no connection'})`, { cause: error });
    } finally {
      this.admins.giveBack(held);
    }
  }
}

/** True where they are there, else what the brokers say of them. Asks for these alone: of topics that others have on the same brokers a leader may be away. */
async function look(admin: Admin, topics: string[]): Promise<unknown> {
  try {
    await admin.fetchTopicMetadata({ topics });
    return true;
  } catch (error) {
    if (faultType(error) === NO_SUCH_TOPIC || isRefused(error)) return error;
    throw error;
  }
}

function namesOf(found: { topic: string }[]): string[] {
  return found.map(({ topic }) => topic);
}

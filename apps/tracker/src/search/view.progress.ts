import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import { TOPICS, topicsOf } from '@lettermill/events';
import { EVENT_LOG, type EventLog } from '@lettermill/log';
import type { ServiceName } from '@lettermill/config';
import { CAUGHT_UP, CLOCK, SERVICE, type CaughtUp, type Clock } from '@lettermill/runtime';
import { ID_SLACK_MS } from '../timeline/message.record';

/** How long a call waits for messages that are still on their way here, such as those answered with 202 a moment ago. */
const CATCH_UP_TIMEOUT_MS = 2000;
/** How long the result of one look at the log is used for all calls. */
const CACHE_MS = 1000;

const ACCEPTED_TOPICS = topicsOf(TOPICS.messageRequested);

/** Knows how much of what was accepted this view has read. */
@Injectable()
export class ViewProgress {
  private cached = { at: -Infinity, upTo: Promise.resolve(0) };

  constructor(
    @Inject(EVENT_LOG) private readonly log: Pick<EventLog, 'positions' | 'read'>,
    @Inject(SERVICE) private readonly service: ServiceName,
    @Inject(CAUGHT_UP) private readonly caughtUp: CaughtUp,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /**
   * Whether everything accepted by then (milliseconds since the epoch) has been read; waits for it for 2 s at most. Rejects with
   * `LogUnavailable`, unless `acceptedBy` is Infinity.
   */
  async hasRead(acceptedBy: number): Promise<boolean> {
    // The look at the log could not say yes, and takes long while brokers are slow or this view has much to read.
    if (acceptedBy === Infinity) return this.caughtUp(ACCEPTED_TOPICS, CATCH_UP_TIMEOUT_MS);
    const began = performance.now();
    // A call about old messages does not wait for new ones.
    if (acceptedBy + ID_SLACK_MS < (await this.readUpToInTime())) return true;
    return this.caughtUp(ACCEPTED_TOPICS, Math.max(0, CATCH_UP_TIMEOUT_MS - (performance.now() - began)));
  }

  /** `readUpTo`, or -Infinity if that takes too long. */
  private async readUpToInTime(): Promise<number> {
    const enough = new AbortController();
    const unknown = pause(CATCH_UP_TIMEOUT_MS, enough.signal).then(() => -Infinity);
    return Promise.race([this.readUpTo(), unknown]).finally(() => enough.abort());
  }

  private readUpTo(): Promise<number> {
    const now = this.now();
    if (Math.abs(now - this.cached.at) >= CACHE_MS) this.cached = { at: now, upTo: this.loadReadUpTo(now) };
    return this.cached.upTo;
  }

  /** When the first unread record was appended; now if there is none. */
  private async loadReadUpTo(now: number): Promise<number> {
    const open = (await this.log.positions(this.service, ACCEPTED_TOPICS)).filter(({ lag }) => lag > 0);
    const firsts = await Promise.all(open.map((one) => this.log.read(one.topic, one.partition, one.committed, 1)));
    return Math.min(now, ...firsts.flat().map(({ appendedAt }) => appendedAt));
  }
}

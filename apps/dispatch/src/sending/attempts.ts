import { Inject, Injectable, Logger } from '@nestjs/common';
import { ContentDamaged, ContentLost } from '@lettermill/blobs';
import { DAY_MS, isRetryable, OncePer } from '@lettermill/concurrency';
import type { AnyEvent } from '@lettermill/events';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import type { AttemptEnd, DeliveryTerms, HopState } from '../lifecycle/delivery';
import type { ClaimedDelivery } from '../deliveries/deliveries.store';
import { isInTime } from '../lifecycle/delivery.retry';
import { deliveryEvent, sendingEvent, type EventFrame } from '../lifecycle/delivery.events';
import { domainOf, envelopeOf, jobOf, sendingDelivery, type DeliveryJob } from '../deliveries/delivery.job';
import { decide, type DeliveryEvent } from '../lifecycle/delivery.machine';
import { SignedMails, SigningFailed } from './signed.mails';
import type { MailBody } from '../mime/mime.body';
import { SmtpPool } from '../hop/hop.pool';
import type { Withdrawal } from '../smtp/smtp.withdrawal';
import { deferredEnd } from '../smtp/smtp.transaction';
import { AttemptGrouping } from './attempt.grouping';
import { DomainNames } from './domain.names';
import { Leases } from './leases';
import { Outcomes } from './outcomes';
import { startAttemptSpan, endAttemptSpan } from './attempt.span';
import { countAttempt, countUnreadable, observeSent } from './sending.metrics';

/** An attempt that takes longer is reported as in progress. */
const REPORT_RUNNING_AFTER_MS = 1_000;
/** No mail waits longer than this for the hop; beyond three weeks, a timer would end at once. */
const LONGEST_ATTEMPT_MS = DAY_MS;
/** When the blob store is unavailable, a delivery is given back for this long. */
const BLOB_RETRY_DELAY_MS = 5_000;
/** While contents cannot be read, it is logged this often. */
const UNREADABLE_LOG_INTERVAL_MS = 60_000;
/** For a delivery whose content cannot be read. */
const NO_TERMS: DeliveryTerms = { expiresAt: null, onUncertain: 'retry', address: '' };

type CompositionResult = { body: MailBody } | { event: DeliveryEvent };

export interface AttemptProgress {
  /** Nothing more is said to the hop; `hop` is what the attempt says about it. */
  turnEnded(hop?: HopState): void;
  /** The outcome is on the way to the store; `dueAt` is when the delivery is due again, null if it is not. */
  submitted(dueAt: number | null): void;
}

/** Leads one claimed delivery to the end of its claim. */
@Injectable()
export class Attempts {
  private readonly logger = new Logger('dispatch');
  private readonly grouping: AttemptGrouping;
  private readonly domainNames: DomainNames;
  private readonly unreadableLine: OncePer;

  constructor(
    private readonly mails: SignedMails,
    private readonly pool: SmtpPool,
    private readonly outcomes: Outcomes,
    private readonly leases: Leases,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {
    this.grouping = new AttemptGrouping(now);
    this.unreadableLine = new OncePer(UNREADABLE_LOG_INTERVAL_MS, now);
    const { domainRates, domainConcurrency } = config.sending;
    this.domainNames = new DomainNames([...domainRates.keys(), ...domainConcurrency.keys()]);
  }

  /**
   * Makes one attempt, or finds the reason why there is none. It may be withdrawn as long as nothing was handed over. The delivery was due at
   * `dueAt`.
   */
  async run(claimed: ClaimedDelivery, dueAt: number, withdrawal: Withdrawal, progress: AttemptProgress): Promise<void> {
    const job = jobOf(claimed);
    const event = job
      ? ((await this.grouping.track(() => this.makeAttempt(claimed, job, withdrawal))) ?? this.givenBack(dueAt))
      : this.contentLost('The mail is no longer stored.');
    progress.turnEnded(event.type === 'ended' ? event.end.hop : undefined);
    await this.grouping.waitForOthers();
    const reportedType = await this.conclude(claimed, job?.terms ?? NO_TERMS, event, progress);
    // The date of a mail is when its message was accepted.
    if (job && reportedType === 'MessageSent') observeSent(this.now() - Date.parse(job.queued.mail.date));
  }

  /** Gives back a claim whose attempt has not begun; the delivery is due again at once. */
  async giveBack(claimed: ClaimedDelivery, dueAt: number, progress: AttemptProgress): Promise<void> {
    await this.conclude(claimed, NO_TERMS, this.givenBack(dueAt), progress);
  }

  /** Records an attempt whose process is gone: nobody knows how it ended. */
  async recordLost(claimed: ClaimedDelivery): Promise<void> {
    const detail = 'The process that made this attempt ended before its outcome was recorded.';
    const terms = jobOf(claimed)?.terms ?? NO_TERMS;
    // The clock may have been set back since.
    const begunAt = Math.min(claimed.claimedAt, this.now());
    await this.conclude(claimed, terms, this.endedEvent(begunAt, unknownEnd(detail), terms, { seen: false }));
  }

  /** Resolves to what happened to the delivery; to undefined if it is to be given back. */
  private async makeAttempt(
    claimed: ClaimedDelivery,
    job: DeliveryJob,
    withdrawal: Withdrawal,
  ): Promise<DeliveryEvent | undefined> {
    const at = this.now();
    if (!isInTime(job.terms, at)) return { type: 'begun', at };
    const ready = await this.compose(job);
    if ('event' in ready) return ready.event;
    const startedAt = this.now();
    const end = await this.sendInTime(claimed, job, ready.body, withdrawal);
    if (end) return this.endedEvent(startedAt, end, job.terms);
    const withdrawnAt = this.now();
    return isInTime(job.terms, withdrawnAt) ? undefined : { type: 'begun', at: withdrawnAt };
  }

  /** It keeps its place in the queue. The clock may have been set back since it was due. */
  private givenBack(dueAt: number): DeliveryEvent {
    return { type: 'released', dueAt: Math.min(dueAt, this.now()) };
  }

  /** The hop may make a mail wait for minutes: one that expires meanwhile is withdrawn, unless it was handed over. */
  private async sendInTime(
    claimed: ClaimedDelivery,
    job: DeliveryJob,
    body: MailBody,
    withdrawal: Withdrawal,
  ): Promise<AttemptEnd | undefined> {
    const left = (job.terms.expiresAt ?? Infinity) - this.now();
    const withdrawIfLate = () => isInTime(job.terms, this.now()) || withdrawal.withdraw();
    // A timer may end a part of a millisecond early.
    const timer = left < LONGEST_ATTEMPT_MS ? setTimeout(withdrawIfLate, left + 1) : undefined;
    try {
      return await this.send(claimed, job, body, withdrawal);
    } finally {
      clearTimeout(timer);
    }
  }

  private async compose({ queued, terms }: DeliveryJob): Promise<CompositionResult> {
    try {
      return { body: await this.mails.compose(queued.account_id, queued.mail) };
    } catch (error) {
      if (isRetryable(error)) return { event: this.unreadable(error) };
      if (error instanceof ContentLost) return { event: this.contentLost(error.message) };
      return { event: this.endedEvent(this.now(), this.notComposed(error), terms) };
    }
  }

  private unreadable(error: unknown): DeliveryEvent {
    countUnreadable();
    if (this.unreadableLine.passes('')) {
      this.logger.warn(
        `contents of mails cannot be read, and are tried again until they can: ${(error as Error).message}`,
      );
    }
    return { type: 'released', dueAt: this.now() + BLOB_RETRY_DELAY_MS };
  }

  /** Neither a missing signature nor a defect of ours is the mail's fault: it is kept, and tried again. */
  private notComposed(error: unknown): AttemptEnd {
    if (error instanceof SigningFailed) return deferredEnd(error.code, error.message, null);
    this.logger.error(error);
    const isDamaged = error instanceof ContentDamaged;
    const detail = isDamaged ? error.message : 'An internal error interrupted the composition of the mail.';
    return deferredEnd('composing_failed', detail, null);
  }

  private async send(
    claimed: ClaimedDelivery,
    { queued }: DeliveryJob,
    body: MailBody,
    withdrawal: Withdrawal,
  ): Promise<AttemptEnd | undefined> {
    const frame = this.frame(claimed);
    const reportRunning = () => this.outcomes.mention(sendingEvent(frame, claimed.accountId, this.pool.nextHop));
    const span = startAttemptSpan(claimed, this.pool.nextHop);
    const timer = setTimeout(reportRunning, REPORT_RUNNING_AFTER_MS);
    try {
      const content = { size: body.size, eightBit: body.eightBit, chunks: () => body.chunks() };
      const end = await this.pool.send(envelopeOf(claimed, queued), content, withdrawal, queued.priority === 'high');
      endAttemptSpan(span, end);
      return end;
    } catch (error) {
      this.logger.error(error);
      span?.end(undefined, 'defect');
      return unknownEnd('An internal error interrupted the attempt.');
    } finally {
      clearTimeout(timer);
    }
  }

  /** The end of a conversation; counts it in the metrics, without its duration if nobody saw the end. */
  private endedEvent(
    startedAt: number,
    end: AttemptEnd,
    { address }: DeliveryTerms,
    { seen } = { seen: true },
  ): DeliveryEvent {
    const at = this.now();
    const { nextHop } = this.pool;
    const domain = this.domainNames.of(domainOf(address));
    countAttempt({ hop: nextHop, domain, outcome: end.outcome }, seen ? at - startedAt : undefined);
    return { type: 'ended', startedAt, at, nextHop, end };
  }

  /**
   * Decides, records and announces; resolves to the type of the announced event. A record that comes too late is dropped: whoever took over
   * the claim has reported its outcome.
   */
  private async conclude(
    claimed: ClaimedDelivery,
    terms: DeliveryTerms,
    event: DeliveryEvent,
    progress?: AttemptProgress,
  ): Promise<AnyEvent['type'] | undefined> {
    const policy = { delays: this.config.retryDelays, random: Math.random() };
    const { next, outcome, mayReturn } = decide(sendingDelivery(claimed), terms, event, policy);
    const report = outcome && deliveryEvent(this.frame(claimed), outcome);
    const settlement = { claim: this.leases.claimOf(claimed), next, mayReturn };
    const recorded = await this.outcomes.settle(settlement, report, () => progress?.submitted(next.dueAt));
    if (!recorded) this.logger.warn(`an outcome of ${claimed.messageId} came too late to be recorded`);
    return recorded ? report?.type : undefined;
  }

  private frame({ messageId, attempts, traceparent }: ClaimedDelivery): EventFrame {
    return { messageId, attempt: attempts + 1, at: this.now(), traceparent };
  }

  private contentLost(detail: string): DeliveryEvent {
    return { type: 'unsendable', at: this.now(), reason: { code: 'content_lost', detail } };
  }
}

function unknownEnd(detail: string): AttemptEnd {
  return { outcome: 'unknown', reply: null, reason: { code: 'uncertain', detail }, hard: false, detail };
}

import { TOPICS, type AnyEvent, type AttemptOutcome, type MessageAnswer, type ReceivedEvent } from '@lettermill/events';
import { endByReport, reportEvents } from '../../apps/dispatch/src/bounces/report.events';
import {
  reportedState,
  type AttemptEnd,
  type Delivery,
  type DeliveryTerms,
} from '../../apps/dispatch/src/lifecycle/delivery';
import { deliveryEvent } from '../../apps/dispatch/src/lifecycle/delivery.events';
import { decide, type DeliveryEvent } from '../../apps/dispatch/src/lifecycle/delivery.machine';
import { decideCancel, decideRetry, type OrderVerdict } from '../../apps/dispatch/src/orders/order.decide';
import { eventsOf, factsOf, messageId, START } from '../../apps/tracker/src/testing/events';
import { answerOf } from '../../apps/tracker/src/timeline/message.answer';

const MESSAGE = { accountId: 'default', messageId: messageId(0) };
const makeEvent = eventsOf(MESSAGE.messageId, MESSAGE.accountId);
const POLICY = { delays: [60, 300, 300], random: 0.5 };
const GREYLISTED = { code: 'greylisted', detail: '450 later' } as const;
const MAILBOX_FULL = { hard: false, status: '5.2.2', reason: 'mailbox_full', diagnostic: '' } as const;

/** One message as dispatch decides about it, with all its events, but without store, log and next hop. */
export class MessageLife {
  /** Null until dispatch has the mail. */
  delivery: Delivery | null = null;
  /** It was claimed and given back, which causes no event. */
  givenBack = false;
  /** Addresses that an attempt went to although they already had the mail, or were not to get it. */
  readonly unwantedCopies: string[] = [];
  /** States in which a bounce of a mail that may have arrived was reported without causing an event. */
  readonly ignoredReports: string[] = [];
  private readonly trackedEvents: ReceivedEvent[] = [makeEvent.requested(0)];
  private readonly served = new Set<string>();
  private readonly terms: DeliveryTerms;
  private hasContent = true;
  /** An attempt ended with an unknown outcome. */
  private mayHaveArrived = false;
  private rendering: 'not yet' | 'queued' | 'failed' = 'not yet';
  private now = START;

  constructor(
    onUncertain: DeliveryTerms['onUncertain'],
    private readonly to: string[],
  ) {
    this.terms = { expiresAt: null, onUncertain, address: to[0]! };
  }

  /** The answer of the tracker once it has all events. */
  answer(): MessageAnswer {
    return answerOf(MESSAGE.messageId, factsOf(this.trackedEvents))!;
  }

  /** The mail comes to dispatch, unless it was cancelled before. */
  arrive(): void {
    if (this.rendering !== 'not yet') return;
    this.rendering = 'queued';
    this.trackedEvents.push(makeEvent.queued((this.tick() - START) / 1000));
    this.delivery ??= { ...MESSAGE, state: 'queued', attempts: 0, dueAt: this.now };
  }

  /** The mail cannot be rendered; the event about it comes late. */
  fail(): void {
    if (this.rendering !== 'not yet') return;
    this.rendering = 'failed';
    this.trackedEvents.push(makeEvent.failed(1));
  }

  claim(): void {
    if (!this.delivery || this.delivery.dueAt === null) return;
    this.now = Math.max(this.now, this.delivery.dueAt);
    this.delivery = { ...this.delivery, state: 'sending', dueAt: null };
    this.givenBack = false;
  }

  giveBack(): void {
    this.applyEvent({ type: 'released', dueAt: this.now });
    this.givenBack = true;
  }

  /** Ends the attempt: with an outcome for the message's own recipient, if it is included, and for each copy. */
  end(own: AttemptOutcome, others: AttemptOutcome[]): void {
    if (this.delivery?.state !== 'sending') return;
    const of = (outcome: AttemptOutcome) => ({ outcome, reason: outcome === 'sent' ? null : GREYLISTED });
    const { rest } = this.delivery;
    const open = rest?.to ?? this.to;
    this.unwantedCopies.push(...open.filter((one) => this.served.has(one)));
    const copies = (rest?.after ? open : open.slice(1)).map((address, at) => ({ address, ...of(others[at]!) }));
    // While the main recipient is deferred, nobody has the mail.
    const copiesReported = (rest?.after || own === 'sent' || own === 'bounced') && copies.length > 0;
    if (!rest?.after && own === 'unknown') this.mayHaveArrived = true;
    if (!rest?.after && own === 'sent') this.served.add(this.to[0]!);
    for (const { address, outcome } of copiesReported ? copies : []) if (outcome === 'sent') this.served.add(address);
    const end: AttemptEnd = { ...of(own), reply: null, hard: false, ...(copiesReported && { copies }) };
    this.applyEvent({ type: 'ended', startedAt: this.now, at: this.tick(), nextHop: 'mx:25', end });
  }

  /** Returns whether the answer was that it is cancelled. */
  cancel(): boolean {
    this.tick();
    const found: Delivery = this.delivery ?? { ...MESSAGE, state: 'queued', attempts: 0, dueAt: null };
    return this.applyOrder(found, decideCancel(found));
  }

  /** `suppressed` are the copies that are suppressed by then. */
  retry(suppressed: string[]): void {
    if (!this.delivery) return;
    const { rest } = this.delivery;
    const was = reportedState(this.delivery);
    const to = rest?.after ? [this.to[0]!, ...rest.to] : (rest?.to ?? this.to);
    const lost = suppressed.map((address) => ({ address, code: 'suppressed', detail: '' }));
    const asked = { now: this.tick(), to, suppressed: lost };
    const taken = this.applyOrder(
      this.delivery,
      decideRetry(this.delivery, this.hasContent ? this.terms : undefined, asked),
    );
    if (!taken) return;
    for (const address of suppressed) this.served.add(address);
    if (was === 'bounced') this.mayHaveArrived = false;
  }

  /** A later server reports that the mailbox of the message's own recipient is full. */
  report(): void {
    // A report during an attempt is refused and must be repeated.
    if (!this.delivery || reportedState(this.delivery) === 'sending') return;
    const address = this.to[0]!;
    const recalled = { ...this.delivery, recipients: this.to };
    const finding = { recipient: { ...MAILBOX_FULL, address, kind: 'bounce' as const }, address, own: true };
    const events = reportEvents(recalled, [finding], this.tick());
    const end = endByReport(recalled, events);
    if (this.mayHaveArrived && events.length === 0) this.ignoredReports.push(reportedState(this.delivery));
    if (end) {
      this.served.add(address);
      // After the first report caused an event, a repeated one does not need another.
      this.mayHaveArrived = false;
    }
    this.delivery = end?.next ?? this.delivery;
    this.hasContent &&= !end;
    events.forEach((event) => this.publish(event));
  }

  private tick(): number {
    return (this.now += 1000);
  }

  private applyEvent(event: DeliveryEvent): void {
    if (!this.delivery) return;
    const attempt = this.delivery.attempts + 1;
    const { next, outcome } = decide(this.delivery, this.terms, event, POLICY);
    this.delivery = next;
    if (outcome) this.publish(deliveryEvent({ messageId: MESSAGE.messageId, attempt, at: this.now }, outcome));
  }

  private applyOrder(found: Delivery, verdict: OrderVerdict): boolean {
    if ('refused' in verdict) return false;
    if ('stands' in verdict) return true;
    this.delivery = verdict.next;
    this.givenBack = false;
    const frame = { messageId: MESSAGE.messageId, attempt: found.attempts + 1, at: this.now };
    this.publish(deliveryEvent(frame, verdict.told));
    return true;
  }

  private publish(event: AnyEvent): void {
    this.trackedEvents.push({
      ...event,
      topic: TOPICS.messageOutcome,
      partition: 0,
      position: this.trackedEvents.length,
    });
  }
}

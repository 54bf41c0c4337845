import { TOPICS, type AnyEvent, type AttemptOutcome, type MessageAnswer, type Received } from '@lettermill/events';
import { endedBy, reportEvents } from '../../apps/dispatch/src/bounces/report.events';
import {
  toldState,
  type AttemptEnd,
  type Delivery,
  type DeliveryTerms,
} from '../../apps/dispatch/src/deliveries/delivery';
import { outcomeEvent } from '../../apps/dispatch/src/deliveries/delivery.events';
import { decide, type DeliveryEvent } from '../../apps/dispatch/src/deliveries/delivery.machine';
import { decideCancel, decideRetry, type OrderVerdict } from '../../apps/dispatch/src/orders/order.decide';
import { eventsOf, factsOf, messageId, START } from '../../apps/tracker/src/testing/events';
import { answerOf } from '../../apps/tracker/src/timeline/message.answer';

const NAME = { accountId: 'default', messageId: messageId(0) };
const m = eventsOf(NAME.messageId, NAME.accountId);
const POLICY = { delays: [60, 300, 300], random: 0.5 };
const REASON = { code: 'greylisted', detail: '450 later' } as const;
const FULL = { hard: false, status: '5.2.2', reason: 'mailbox_full', diagnostic: '' } as const;

/** One message as dispatch decides about it, with all its events, but without store, log and next hop. */
export class MessageLife {
  /** Null until dispatch has the mail. */
  delivery: Delivery | null = null;
  /** It was claimed and given back, which causes no event. */
  givenBack = false;
  /** Addresses that an attempt went to although they already had the mail, or were not to get it. */
  readonly wronged: string[] = [];
  /** States in which a bounce of a mail that may have arrived was reported without causing an event. */
  readonly unheard: string[] = [];
  private readonly told: Received[] = [m.requested(0)];
  private readonly done = new Set<string>();
  private readonly terms: DeliveryTerms;
  private kept = true;
  /** An attempt ended with an unknown outcome. */
  private doubted = false;
  private rendered: 'not yet' | 'queued' | 'failed' = 'not yet';
  private now = START;

  constructor(
    onUncertain: DeliveryTerms['onUncertain'],
    private readonly to: string[],
  ) {
    this.terms = { expiresAt: null, onUncertain, address: to[0]! };
  }

  /** The answer of the tracker once it has all events. */
  answer(): MessageAnswer {
    return answerOf(NAME.messageId, factsOf(this.told))!;
  }

  /** The mail comes to dispatch, unless it was cancelled before. */
  arrive(): void {
    if (this.rendered !== 'not yet') return;
    this.rendered = 'queued';
    this.told.push(m.queued((this.tick() - START) / 1000));
    this.delivery ??= { ...NAME, state: 'queued', attempts: 0, dueAt: this.now };
  }

  /** The mail cannot be rendered; the event about it comes late. */
  fail(): void {
    if (this.rendered !== 'not yet') return;
    this.rendered = 'failed';
    this.told.push(m.failed(1));
  }

  claim(): void {
    if (!this.delivery || this.delivery.dueAt === null) return;
    this.now = Math.max(this.now, this.delivery.dueAt);
    this.delivery = { ...this.delivery, state: 'sending', dueAt: null };
    this.givenBack = false;
  }

  giveBack(): void {
    this.decided({ type: 'released', dueAt: this.now });
    this.givenBack = true;
  }

  /** Ends the attempt: with an outcome for the message's own recipient, if it is included, and for each copy. */
  end(own: AttemptOutcome, others: AttemptOutcome[]): void {
    if (this.delivery?.state !== 'sending') return;
    const of = (outcome: AttemptOutcome) => ({ outcome, reason: outcome === 'sent' ? null : REASON });
    const { rest } = this.delivery;
    const open = rest?.to ?? this.to;
    this.wronged.push(...open.filter((one) => this.done.has(one)));
    const copies = (rest?.after ? open : open.slice(1)).map((address, at) => ({ address, ...of(others[at]!) }));
    // While the main recipient is deferred, nobody has the mail.
    const told = (rest?.after || own === 'sent' || own === 'bounced') && copies.length > 0;
    if (!rest?.after && own === 'unknown') this.doubted = true;
    if (!rest?.after && own === 'sent') this.done.add(this.to[0]!);
    for (const { address, outcome } of told ? copies : []) if (outcome === 'sent') this.done.add(address);
    const end: AttemptEnd = { ...of(own), reply: null, hard: false, ...(told && { copies }) };
    this.decided({ type: 'ended', startedAt: this.now, at: this.tick(), nextHop: 'mx:25', end });
  }

  /** Returns whether the answer was that it is cancelled. */
  cancel(): boolean {
    this.tick();
    const found: Delivery = this.delivery ?? { ...NAME, state: 'queued', attempts: 0, dueAt: null };
    return this.ordered(found, decideCancel(found));
  }

  /** `suppressed` are the copies that are suppressed by then. */
  retry(suppressed: string[]): void {
    if (!this.delivery) return;
    const { rest } = this.delivery;
    const was = toldState(this.delivery);
    const to = rest?.after ? [this.to[0]!, ...rest.to] : (rest?.to ?? this.to);
    const lost = suppressed.map((address) => ({ address, code: 'suppressed', detail: '' }));
    const asked = { now: this.tick(), to, suppressed: lost };
    const taken = this.ordered(this.delivery, decideRetry(this.delivery, this.kept ? this.terms : undefined, asked));
    if (!taken) return;
    for (const address of suppressed) this.done.add(address);
    if (was === 'bounced') this.doubted = false;
  }

  /** A later server reports that the mailbox of the message's own recipient is full. */
  report(): void {
    // A report during an attempt is refused and must be repeated.
    if (!this.delivery || toldState(this.delivery) === 'sending') return;
    const address = this.to[0]!;
    const recalled = { ...this.delivery, recipients: this.to };
    const finding = { recipient: { ...FULL, address, kind: 'bounce' as const }, address, own: true };
    const events = reportEvents(recalled, [finding], this.tick());
    const end = endedBy(recalled, events);
    if (this.doubted && events.length === 0) this.unheard.push(toldState(this.delivery));
    if (end) {
      this.done.add(address);
      // After the first report caused an event, a repeated one does not need another.
      this.doubted = false;
    }
    this.delivery = end?.next ?? this.delivery;
    this.kept &&= !end;
    events.forEach((event) => this.tell(event));
  }

  private tick(): number {
    return (this.now += 1000);
  }

  private decided(event: DeliveryEvent): void {
    if (!this.delivery) return;
    const attempt = this.delivery.attempts + 1;
    const { next, outcome } = decide(this.delivery, this.terms, event, POLICY);
    this.delivery = next;
    if (outcome) this.tell(outcomeEvent({ messageId: NAME.messageId, attempt, at: this.now }, outcome));
  }

  private ordered(found: Delivery, verdict: OrderVerdict): boolean {
    if ('refused' in verdict) return false;
    if ('stands' in verdict) return true;
    this.delivery = verdict.next;
    this.givenBack = false;
    const frame = { messageId: NAME.messageId, attempt: found.attempts + 1, at: this.now };
    this.tell(outcomeEvent(frame, verdict.told));
    return true;
  }

  private tell(event: AnyEvent): void {
    this.told.push({ ...event, topic: TOPICS.messageOutcome, partition: 0, position: this.told.length });
  }
}

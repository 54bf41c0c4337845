import { derivedId, type AnyEvent } from '@lettermill/events';
import { DOUBT_BEFORE_BOUNCE, idsOf, isInDoubt, reportedState, type Delivery } from '../lifecycle/delivery';
import { sameAddress } from './addresses';
import type { Finding, RecalledDelivery } from './report.match';

/**
 * Whether the next hop took the mail for that address, or may have taken it: only then can a later server report anything. A cancelled mail
 * may have arrived by an earlier attempt, and so may one that was put off or failed after an attempt of unknown outcome. If the main
 * recipient was refused, copies may have the mail: those that later attempts do not go to. A refusal of what was refused already is old
 * news, also after a retry; who complains about it has the mail of an earlier attempt.
 */
function wasHandedOver(recalled: RecalledDelivery, { recipient, address, own }: Finding): boolean {
  const state = reportedState(recalled);
  if (state === 'sent' || state === 'uncertain' || (state === 'cancelled' && recalled.attempts > 0)) return true;
  const isOldNews = own && recipient.kind !== 'complaint' && (state === 'bounced' || !recalled.mayHaveArrived);
  if (isInDoubt(recalled) && !isOldNews) return true;
  if (own || !recalled.rest) return false;
  return !!recalled.rest.unsure || !recalled.rest.to.some((waits) => sameAddress(waits, address));
}

/** An end of the delivery, and the event that reports it. */
export interface EndByReport {
  next: Delivery;
  told: AnyEvent;
}

/**
 * A mail that may have arrived did arrive if a later server refuses it for the main recipient: it is not sent again, even if it waits for
 * another attempt. A delivery that has failed stays failed. Undefined if the report ends nothing. Who has the mail can still complain.
 */
export function endByReport(recalled: RecalledDelivery, events: readonly AnyEvent[]): EndByReport | undefined {
  const current = reportedState(recalled);
  if (current !== 'uncertain' && !(recalled.mayHaveArrived && (current === 'deferred' || current === 'failed')))
    return undefined;
  const returned = events.find((event) => event.type === 'MessageReturned' && event.data.own);
  if (!returned) return undefined;
  const { accountId, messageId, attempts, requestedAttempt, recipients } = recalled;
  const rest = { to: recipients.slice(0, 1), after: null };
  const state = current === 'failed' ? current : 'bounced';
  const delivery: Delivery = { accountId, messageId, attempts, requestedAttempt, state, dueAt: null, rest };
  return { next: { ...delivery, ...DOUBT_BEFORE_BOUNCE }, told: returned };
}

type Reportable = Finding & { recipient: { kind: 'bounce' | 'complaint' } };

/** Whether it becomes an event, if the mail was handed over. */
export function isReportable(finding: Finding): finding is Reportable {
  const { kind } = finding.recipient;
  return kind === 'bounce' || kind === 'complaint';
}

/**
 * Whether only the end of the attempt in progress tells what the report is worth: it is about the mail that goes out just now, or about a
 * copy that is sent alone after the main recipient was refused, unless an earlier attempt may have reached that copy.
 */
export function awaitsAttempt(recalled: RecalledDelivery, findings: readonly Finding[]): boolean {
  if (recalled.state !== 'sending') return false;
  const reportable = findings.filter(isReportable);
  if (reportedState(recalled) === 'sending') return reportable.length > 0;
  return reportable.some((finding) => !finding.own && !wasHandedOver(recalled, finding));
}

/**
 * The events of a report: refusals and complaints. The same address gives the same event, however often it is reported, so that a repeated
 * report changes nothing; once somebody asked for another attempt it is a new one. `at` is when the report was written.
 */
export function reportEvents(recalled: RecalledDelivery, findings: readonly Finding[], at: number): AnyEvent[] {
  const handedOver = findings.filter((finding) => wasHandedOver(recalled, finding));
  return handedOver.filter(isReportable).map((finding) => eventOf(recalled, finding, at));
}

function eventOf(recalled: RecalledDelivery, { recipient, address, own }: Reportable, at: number): AnyEvent {
  const { messageId, traceparent } = recalled;
  const frame = {
    source: 'dispatch' as const,
    time: new Date(at).toISOString(),
    key: messageId,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const about = { ...idsOf(recalled), address };
  const { hard, status, reason, diagnostic } = recipient;
  switch (recipient.kind) {
    case 'bounce': {
      const id = reportId(recalled, 'returned', address);
      const data = { ...about, own, hard, status, reason: { code: reason, detail: diagnostic } };
      return { ...frame, id, type: 'MessageReturned', data };
    }
    case 'complaint': {
      const id = reportId(recalled, 'complained', address);
      return { ...frame, id, type: 'MessageComplained', data: about };
    }
  }
}

/** Before it was noted which attempt was asked for, ids had the number of attempts. Those that were given then must not change. */
function reportId(recalled: RecalledDelivery, kind: 'returned' | 'complained', address: string): string {
  const attempt = recalled.requestedAttempt ?? recalled.attempts;
  const reported = attempt > 1 ? `${kind} ${attempt}` : kind;
  return derivedId(derivedId(recalled.messageId, reported), address.toLowerCase());
}

import { derivedId, type AnyEvent } from '@lettermill/events';
import type { DeliveryReport } from './delivery';

/** The parts of an event that do not depend on what it reports. */
export interface EventFrame {
  messageId: string;
  /** Number of the attempt that is reported, or that did not take place. */
  attempt: number;
  at: number;
  traceparent?: string;
}

/** The name of the event within its attempt, so that a repeated announcement has the same id. */
const STEPS: Record<DeliveryReport['type'], string> = {
  MessageSending: 'sending',
  MessageSent: 'sent',
  MessageDeferred: 'deferred',
  MessageBounced: 'bounced',
  MessageFailed: 'failed',
  MessageUncertain: 'unknown',
  MessageCopiesTried: 'copies',
  MessageCancelled: 'cancelled',
  MessageRetried: 'retried',
};

/**
 * Somebody may ask for the same attempt twice, each time with fewer copies left; each request is reported, so its id includes the time. Two
 * outcomes of one attempt have different ids: the store would take the second for a repetition of the first.
 */
function stepOf({ type, data }: DeliveryReport, { at }: EventFrame): string {
  const step = STEPS[type];
  if (type === 'MessageCopiesTried') return data.attempt ? `${step}-${data.attempt.outcome}` : step;
  return 'suppressed_copies' in data ? `${step}-${at}` : step;
}

/** The id is `${message_id}/attempt-${n}/${outcome}`; the key is the message's id, so that its outcomes stay in order. */
export function deliveryEvent(frame: EventFrame, report: DeliveryReport): AnyEvent {
  return {
    id: derivedId(derivedId(frame.messageId, `attempt-${frame.attempt}`), stepOf(report, frame)),
    type: report.type,
    source: 'dispatch',
    time: new Date(frame.at).toISOString(),
    key: frame.messageId,
    ...(frame.traceparent ? { traceparent: frame.traceparent } : {}),
    data: report.data,
  } as AnyEvent;
}

/** Reports that an attempt has been running for more than a moment. */
export function sendingEvent(frame: EventFrame, accountId: string, nextHop: string): AnyEvent {
  const { messageId, attempt } = frame;
  const data = { account_id: accountId, message_id: messageId, attempt, next_hop: nextHop };
  return deliveryEvent(frame, { type: 'MessageSending', data });
}

import { SPAN_KIND, startSpan, type OpenSpan } from '@lettermill/runtime';
import type { AttemptEnd } from '../lifecycle/delivery';
import type { ClaimedDelivery } from '../deliveries/deliveries.store';

/** The span of one SMTP conversation, without addresses. */
export function startAttemptSpan(
  { messageId, attempts, traceparent }: ClaimedDelivery,
  nextHop: string,
): OpenSpan | undefined {
  // A delivery that came without a trace gets no span: its attempt alone would tell nothing.
  if (traceparent === undefined) return undefined;
  return startSpan('dispatch', {
    name: 'smtp attempt',
    kind: SPAN_KIND.client,
    parent: traceparent,
    facts: { 'lettermill.message_id': messageId, 'lettermill.attempt': attempts + 1, 'server.address': nextHop },
  });
}

/** `end` is undefined if the delivery was given back before anything was handed over. */
export function endAttemptSpan(span: OpenSpan | undefined, end: AttemptEnd | undefined): void {
  if (!span) return;
  const outcome = end?.outcome ?? 'given_back';
  const code = end?.reply?.code;
  const facts = { 'lettermill.outcome': outcome, ...(code !== undefined && { 'lettermill.reply_code': code }) };
  span.end(facts, outcome === 'sent' || outcome === 'given_back' ? undefined : outcome);
}

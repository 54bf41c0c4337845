import { derivedId, type AnyEvent } from '@lettermill/events';
import type { Finding, Recalled } from './report.match';

/** Deliveries that the next hop took, or may have taken: only of these can a later server say anything. */
const HANDED_OVER = new Set(['sent', 'uncertain']);

/**
 * What is to be told of a report: refusals and complaints. The same address gives the same event, however often it is reported, so
 * that a repeated report changes nothing. `at` is when the report was written.
 */
export function reportEvents(recalled: Recalled, findings: readonly Finding[], at: number): AnyEvent[] {
  if (!HANDED_OVER.has(recalled.state)) return [];
  return findings.flatMap((finding) => eventOf(recalled, finding, at) ?? []);
}

function eventOf(recalled: Recalled, { recipient, address, own }: Finding, at: number): AnyEvent | undefined {
  const { accountId, messageId, traceparent } = recalled;
  const frame = {
    source: 'dispatch',
    time: new Date(at).toISOString(),
    key: messageId,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const about = { account_id: accountId, message_id: messageId, address };
  const { hard, status, reason, diagnostic } = recipient;
  if (recipient.kind === 'bounce') {
    const id = derivedId(derivedId(messageId, 'returned'), address.toLowerCase());
    const data = { ...about, own, hard, status, reason: { code: reason, detail: diagnostic } };
    return { ...frame, id, type: 'MessageReturned', data };
  }
  if (recipient.kind !== 'complaint') return undefined;
  const id = derivedId(derivedId(messageId, 'complained'), address.toLowerCase());
  return { ...frame, id, type: 'MessageComplained', data: about };
}

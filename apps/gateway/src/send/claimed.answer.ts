import { Problem, type Fault } from '@lettermill/problems';
import type { ClaimOutcome } from './claims';
import { earlierIdsOf } from './claims.decide';
import type { Claim } from './claims.store';
import type { Accepted, SendRequest } from './send.request';

/** In `errors` in the form of a 422 fault: its pointer is the whole body. */
export const BODY_DIFFERS: Fault = {
  pointer: '',
  code: 'body_differs',
  detail: 'The first request with this key had another body.',
};

/** The answer if another request has the key, or all of the names. */
export function answerTwin(claimed: Extract<ClaimOutcome, { do: 'replay' | 'refuse-key' | 'wait' }>): Accepted {
  switch (claimed.do) {
    case 'replay':
      return { ack: claimed.ack, requestId: claimed.requestId, replayed: true };
    case 'refuse-key':
      throw new Problem('idempotency_key_reused', BODY_DIFFERS.detail, [BODY_DIFFERS]);
    case 'wait':
      throw new Problem('request_in_progress', 'The first request has not been answered yet.', [], {
        'retry-after': String(claimed.retryAfterS),
      });
  }
}

/**
 * Refuses a call because an earlier one was never answered, which would have these messages. Whether they are on the log is not known here,
 * so the answer names them all, before other faults, and does not send the caller to another key or id (docs/send.md 13).
 */
export function earlierCallUnanswered(messageIds: string[], faults: Fault[]): Problem {
  const named = new Set(faults.map(({ message_id }) => message_id));
  const others = messageIds.filter((id) => !named.has(id)).map((id) => perhapsAccepted(id));
  const detail = 'An earlier call with this key or id was never answered, and this one cannot take its place.';
  const isNamed = ({ message_id }: Fault) => message_id !== undefined;
  return new Problem('earlier_call_unanswered', detail, [
    ...faults.filter(isNamed),
    ...others,
    ...faults.filter((fault) => !isNamed(fault)),
  ]);
}

/**
 * The refusal of a request as its caller gets it. If its claim took the place of an unanswered one, the refusal must not say that nothing
 * was accepted: the messages of the earlier call may have been.
 */
export function refusalInPlace(refusal: unknown, { recipients, messageIds }: SendRequest, claim: Claim): unknown {
  if (!(refusal instanceof Problem) || refusal.code !== 'validation_failed') return refusal;
  const earlier = new Set(earlierIdsOf(claim));
  if (earlier.size === 0) return refusal;
  const messages = recipients.flatMap(({ pointer }, i) =>
    earlier.has(messageIds[i]!) ? [perhapsAccepted(messageIds[i]!, pointer)] : [],
  );
  return earlierCallUnanswered([], [...messages, ...refusal.faults]);
}

function perhapsAccepted(messageId: string, pointer = ''): Fault {
  const detail = `A call was never answered; its message would be ${messageId}.`;
  return { pointer, code: 'perhaps_accepted', detail, message_id: messageId };
}

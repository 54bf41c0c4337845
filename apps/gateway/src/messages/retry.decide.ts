import type { LostCopy } from '@lettermill/events';
import type { AnswerCode } from '@lettermill/problems';

/** Why something is refused. */
export interface Refusal {
  code: AnswerCode;
  detail: string;
}

/** What dispatch still has of a message that may be retried. */
export interface DeliveryAnswer {
  state: string;
  next_attempt_at: string | null;
  /** Null if nothing is stored that could be sent. */
  address: string | null;
  copies: string[];
  can_be_left: boolean;
  /** Why its state does not allow a retry; null if it does. */
  retry_refused: Refusal | null;
}

/** An attempt of these includes the address of the message. */
const WAITING_STATES = ['queued', 'deferred', 'uncertain'];

/**
 * Why a message whose own address is suppressed is not retried. If its state does not allow it either, the caller need not lift the
 * suppression first to hear of that. What waits is sent all the same: suppressions are looked up before the mail is rendered.
 */
export function decideSuppressed(delivery: DeliveryAnswer, { address, detail }: LostCopy): Refusal {
  const { state, next_attempt_at, retry_refused } = delivery;
  if (retry_refused) return retry_refused;
  const waits = next_attempt_at !== null && WAITING_STATES.includes(state);
  const meanwhile = waits
    ? `, which does not hold back messages accepted before. This one is ${state}, and is sent when it is due: cancel it if it must not be`
    : '';
  // The reason comes last: it may be a text of somebody else, and need not end with a full stop.
  return { code: 'address_suppressed', detail: `${address} is suppressed${meanwhile}. ${detail}` };
}

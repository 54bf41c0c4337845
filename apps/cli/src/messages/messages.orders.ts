import { printable } from '../output';
import type { Gateway } from '../gateway/gateway';
import { inLanes } from '../gateway/lanes';
import { refusalDetail } from '../gateway/refusal';

export type Order = 'cancel' | 'retry';

/** The result of an order for several messages; `failure` is set if it was broken off. */
export interface OrderOutcome {
  failure?: unknown;
  done: string[];
  refused: { message_id: string; code: string; detail: string; fix?: string }[];
}

const OUTCOME_TEXT: Record<Order, string> = { cancel: 'cancelled', retry: 'due again' };

/**
 * Gives the order for each message, several at a time. If it breaks off, what was done stays done, and the order may be repeated: it
 * changes nothing for messages that are already cancelled or due.
 */
export async function giveOrder(gateway: Gateway, order: Order, ids: string[]): Promise<OrderOutcome> {
  const outcome: OrderOutcome = { done: [], refused: [] };
  outcome.failure = await inLanes(ids, async (id) => {
    const path = `/v2/messages/${encodeURIComponent(id)}/${order}`;
    const answer = await gateway.call<{ message_id?: unknown }>('POST', path);
    const { status, body } = answer;
    const { code = String(status), fix } = body;
    if (status < 300 && body.message_id === id) outcome.done.push(id);
    else
      outcome.refused.push({ message_id: id, code, detail: refusalDetail(answer), ...(fix !== undefined && { fix }) });
  });
  return outcome;
}

/** What to do about a refusal follows once for each code. */
export function orderText(order: Order, { done, refused }: OrderOutcome): string {
  const lines = refused.map(({ message_id, code, detail }) => `${message_id}: ${code}. ${detail}`.trimEnd());
  const fixes = refused.flatMap(({ code, fix }) => (fix === undefined ? [] : `${code}: ${fix}`));
  return [`${done.length} ${OUTCOME_TEXT[order]}`, ...[...lines, ...new Set(fixes)].map(printable), ''].join('\n');
}

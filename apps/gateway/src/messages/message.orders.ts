import { Injectable } from '@nestjs/common';
import type { LostCopy } from '@lettermill/events';
import { Problem, unavailable } from '@lettermill/problems';
import type { AccountRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Forward } from '../owners/forward';
import type { OwnerAnswer } from '../owners/owner.client';
import { decideSuppressed, type DeliveryAnswer } from './retry.decide';

const OK = 200;
const NOT_FOUND = 404;
const UNSUBSCRIBED = 'unsubscribed';
/** If the tracker reports one of these states, no mail of the message will be sent any more. */
const ENDED_STATES = ['sent', 'bounced', 'failed', 'suppressed'];

/** What the tracker says of a message. */
interface MessageView {
  state: string;
  reason: { code: string; detail: string } | null;
  attempts: object[];
}

/** Whether dispatch had a mail to retry, and forgot it. */
function hadMail({ state, reason, attempts }: MessageView): boolean {
  return state === 'bounced' || (state === 'failed' && (attempts.length > 0 || reason?.code === 'expired'));
}

const bodyOf = (answer: OwnerAnswer): Record<string, unknown> =>
  JSON.parse(answer.body.toString()) as Record<string, unknown>;

/**
 * Cancelling and retrying. Dispatch decides, because it alone writes the state of a delivery. The tracker is asked about messages that
 * dispatch has not received yet, and contacts whether an address is suppressed.
 */
@Injectable()
export class MessageOrders {
  constructor(private readonly forward: Forward) {}

  async cancel(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const answer = await this.call(request, 'dispatch', 'POST', `/v2/messages/${messageId}/cancel`);
    if (answer.status !== NOT_FOUND) return this.forward.answer(answer, reply);
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK) return this.forward.answer(view, reply);
    const { state } = bodyOf(view);
    if (state === 'cancelled') return void reply.send({ message_id: messageId, state, next_attempt_at: null });
    if (ENDED_STATES.includes(String(state))) {
      throw new Problem('message_not_cancellable', `It has already ended. Its state is ${String(state)}.`);
    }
    // The message is still on its way to dispatch, which cancels it when it arrives.
    const path = `/v2/messages/${messageId}/cancel?unseen=true`;
    this.forward.answer(await this.call(request, 'dispatch', 'POST', path), reply);
  }

  async retry(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const found = await this.call(request, 'dispatch', 'GET', `/v2/messages/${messageId}/delivery`);
    if (found.status === NOT_FOUND) return this.refuseUntried(request, reply, messageId);
    if (found.status !== OK) return this.forward.answer(found, reply);
    const delivery = bodyOf(found) as unknown as DeliveryAnswer;
    if (delivery.state === 'sent') await this.refuseReturned(request, messageId);
    const suppressed = await this.suppressedAddresses(request, delivery);
    const own = suppressed.find(({ address }) => address === delivery.address);
    if (own) {
      const { code, detail } = decideSuppressed(delivery, own);
      throw new Problem(code, detail);
    }
    const path = `/v2/messages/${messageId}/retry`;
    this.forward.answer(await this.call(request, 'dispatch', 'POST', path, { suppressed_copies: suppressed }), reply);
  }

  /** The addresses of the delivery (recipient and copies) that are suppressed. */
  private async suppressedAddresses(
    request: AccountRequest,
    { address, copies, can_be_left }: DeliveryAnswer,
  ): Promise<LostCopy[]> {
    if (address === null) return [];
    const addresses = { addresses: [address, ...copies] };
    const answer = await this.call(request, 'contacts', 'POST', '/v2/suppressions/lookup', addresses);
    if (answer.status !== OK) throw unavailable('It cannot be checked now whether its addresses are suppressed.');
    const { data } = bodyOf(answer) as { data: LostCopy[] };
    // Receipts and codes are sent even to those who unsubscribed.
    return data.filter(({ code }) => code !== UNSUBSCRIBED || can_be_left);
  }

  /** In dispatch a message stays `sent` when a bounce arrives later; the tracker knows of it. Throws `Problem` if there was one. */
  private async refuseReturned(request: AccountRequest, messageId: string): Promise<void> {
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK || bodyOf(view).state !== 'bounced') return;
    const detail = 'A later server refused it after it was sent, and a sent mail is not kept. Its state is bounced.';
    throw new Problem('message_content_gone', detail);
  }

  /** Dispatch has nothing of the message: it never got it, or has forgotten how it ended. */
  private async refuseUntried(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK) return this.forward.answer(view, reply);
    const message = bodyOf(view) as unknown as MessageView;
    const { state, reason } = message;
    if (hadMail(message)) {
      throw new Problem('message_content_gone', `Its mail is no longer stored. Its state is ${state}.`);
    }
    // The reason comes last: it may be a text of somebody else, and need not end with a full stop.
    const why = reason ? ` The reason: ${reason.detail}` : '';
    const detail = `Its state is ${state}, and there was no attempt, or it was too long ago.${why}`;
    throw new Problem('message_not_retryable', detail);
  }

  private call(
    request: AccountRequest,
    owner: 'dispatch' | 'tracker' | 'contacts',
    method: string,
    path: string,
    content?: object,
  ): Promise<OwnerAnswer> {
    const body = content && Buffer.from(JSON.stringify(content));
    return this.forward.ask(owner, request, { method, path, body });
  }
}

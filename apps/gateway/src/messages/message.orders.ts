import { Injectable } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import type { AccountRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Forward } from '../owners/forward';
import { OwnerClient, type OwnerAnswer } from '../owners/owner.client';

const OK = 200;
const NOT_FOUND = 404;
const UNSUBSCRIBED = 'unsubscribed';
/** Where the tracker says so, no mail comes of the message any more. */
const ENDED = ['sent', 'bounced', 'failed', 'suppressed'];

const bodyOf = (answer: OwnerAnswer): Record<string, unknown> =>
  JSON.parse(answer.body.toString()) as Record<string, unknown>;

/**
 * Cancelling and retrying: dispatch decides, by the state that it alone writes. What it has not seen yet is asked of the tracker, and
 * whether an address may be written to of contacts.
 */
@Injectable()
export class MessageOrders {
  constructor(
    private readonly owners: OwnerClient,
    private readonly forward: Forward,
  ) {}

  async cancel(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const asked = await this.call(request, 'dispatch', 'POST', `/v2/messages/${messageId}/cancel`);
    if (asked.status !== NOT_FOUND) return this.forward.answer(asked, reply);
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK) return this.forward.answer(view, reply);
    const { state } = bodyOf(view);
    if (state === 'cancelled') return void reply.send({ message_id: messageId, state, next_attempt_at: null });
    if (ENDED.includes(String(state))) {
      throw new Problem('message_not_cancellable', `It ended before. Its state is ${String(state)}.`);
    }
    // It is on its way to dispatch: there it ends when it comes.
    const path = `/v2/messages/${messageId}/cancel?unseen=true`;
    this.forward.answer(await this.call(request, 'dispatch', 'POST', path), reply);
  }

  async retry(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const found = await this.call(request, 'dispatch', 'GET', `/v2/messages/${messageId}/delivery`);
    if (found.status === NOT_FOUND) return this.neverTried(request, reply, messageId);
    if (found.status !== OK) return this.forward.answer(found, reply);
    const { address, state, can_be_left: canBeLeft } = bodyOf(found);
    if (state === 'sent') await this.refuseReturned(request, messageId);
    if (typeof address === 'string') {
      const path = `/v2/suppressions/${encodeURIComponent(address)}`;
      const suppressed = await this.call(request, 'contacts', 'GET', path);
      if (suppressed.status === OK) {
        const { reason } = bodyOf(suppressed);
        // Receipts and codes go to those who unsubscribed, too.
        if (reason !== UNSUBSCRIBED || canBeLeft !== false) {
          throw new Problem('address_suppressed', `${address} is suppressed: ${String(reason)}.`);
        }
      } else if (suppressed.status !== NOT_FOUND) return this.forward.answer(suppressed, reply);
    }
    this.forward.answer(await this.call(request, 'dispatch', 'POST', `/v2/messages/${messageId}/retry`), reply);
  }

  /** Dispatch knows of a notice that came later as little as the next hop does. Throws `Problem` where there was one. */
  private async refuseReturned(request: AccountRequest, messageId: string): Promise<void> {
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK || bodyOf(view).state !== 'bounced') return;
    const detail =
      'A later server refused it after it was sent. A mail that was sent is not kept. Its state is bounced.';
    throw new Problem('message_content_gone', detail);
  }

  private async neverTried(request: AccountRequest, reply: FastifyReply, messageId: string): Promise<void> {
    const view = await this.call(request, 'tracker', 'GET', `/v2/messages/${messageId}`);
    if (view.status !== OK) return this.forward.answer(view, reply);
    const { state, reason } = bodyOf(view) as { state: string; reason: { detail: string } | null };
    const why = reason ? ` It ended so: ${reason.detail}` : '';
    throw new Problem('message_not_retryable', `There was no attempt, or it is long ago.${why} Its state is ${state}.`);
  }

  private call(
    request: AccountRequest,
    owner: 'dispatch' | 'tracker' | 'contacts',
    method: string,
    path: string,
  ): Promise<OwnerAnswer> {
    return this.owners.call(owner, { accountId: request.accountId!, method, path, requestId: String(request.id) });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { isSendRequest, recipientsOf, type SendEmailRequest } from '@lettermill/contract';
import { newId } from '@lettermill/events';
import { EventPublisher, LogUnavailable } from '@lettermill/log';
import { Problem, validationFailed, type Fault } from '@lettermill/problems';
import { CLOCK, inSpan, SPAN_KIND, type Clock } from '@lettermill/runtime';
import type { UploadedFile } from '../attachments/request.files';
import { messagesAccepted } from './accept.metrics';
import { answerTwin, BODY_DIFFERS, earlierCallUnanswered, refusalInPlace } from './claimed.answer';
import { Claims, type ClaimOutcome } from './claims';
import type { ClaimLease } from './claims.lease';
import type { UniqueName, TakenId } from './claims.store';
import { Preparation } from './preparation';
import { acknowledgement, requestRecords, type PreparedRequest } from './request.records';
import { fingerprint, namesOf, type Accepted, type SendCall, type SendRequest } from './send.request';

/**
 * Accepting: check → claim names → check and store what is not in the body → append all messages in one batch → confirm → 202. Either all
 * messages of a request are accepted, or none; a refused request leaves nothing behind.
 */
@Injectable()
export class Accept {
  constructor(
    private readonly preparation: Preparation,
    private readonly claims: Claims,
    private readonly publisher: EventPublisher,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Throws `Problem`; an error of log or store is passed on unchanged (503). */
  accept(call: SendCall): Promise<Accepted> {
    return call.uploads ? this.acceptWithUploads(call.uploads, call) : this.acceptBody(call);
  }

  private async acceptWithUploads(uploads: UploadedFile[], call: SendCall): Promise<Accepted> {
    try {
      return await this.acceptBody(call);
    } finally {
      // The answer does not depend on whether they can be discarded.
      await Promise.allSettled(uploads.map(({ draft }) => draft.discard()));
    }
  }

  /** The last step is returned without `await`, so that most of the request can be freed from memory while the log is written. */
  private async acceptBody(call: SendCall): Promise<Accepted> {
    const { body, parameters } = call;
    if (!isSendRequest(body) || parameters) throw validationFailed(await this.faultsOf(call), 'accepted');
    const request = this.requestOf(call, body);
    const names = namesOf(request);
    if (names.length > 0) return this.acceptWithNames(request, names);
    return this.append(request, this.preparation.prepareAtOnce(request) ?? (await this.preparation.prepare(request)));
  }

  /** If the claim store cannot be asked, the ids count as free, so that all other faults are still reported. */
  private faultsOf(call: SendCall, taken?: TakenId[]): Promise<Fault[]> {
    const { claims, preparation } = this;
    return preparation.faults(call, (ids) =>
      taken ? Promise.resolve(taken) : claims.taken(call.accountId, ids).catch(() => []),
    );
  }

  private requestOf(call: SendCall, body: SendEmailRequest): SendRequest {
    const recipients = recipientsOf(body);
    const now = this.now();
    return { ...call, body, recipients, messageIds: recipients.map(() => newId(now)) };
  }

  private async acceptWithNames(request: SendRequest, names: UniqueName[]): Promise<Accepted> {
    const { accountId, requestId, messageIds } = request;
    const claimed = await this.claims.take({
      accountId,
      requestId,
      names,
      messageIds,
      fingerprint: fingerprint(request),
    });
    if (!('granted' in claimed)) return this.answerHeld(request, claimed);
    const { granted } = claimed;
    const { requestId: firstRequestId, messageIds: firstMessageIds } = granted.claim;
    const continued = { ...request, requestId: firstRequestId, messageIds: firstMessageIds };
    const prepared = await this.prepareHeld(continued, granted).catch((error: unknown) =>
      this.release(granted, refusalInPlace(error, continued, granted.claim)),
    );
    const accepted = await this.append(continued, prepared).catch((error: unknown) =>
      error instanceof LogUnavailable && error.unwritten ? this.release(granted, error) : this.abandon(granted, error),
    );
    await this.claims.confirm(granted, accepted.ack);
    return accepted;
  }

  /** The answer if other requests have some of the names. */
  private async answerHeld(
    request: SendRequest,
    claimed: Exclude<ClaimOutcome, { granted: ClaimLease }>,
  ): Promise<Accepted> {
    if (claimed.do === 'refuse-ids') throw validationFailed(await this.faultsOf(request, claimed.taken), 'accepted');
    if (claimed.do !== 'refuse-unanswered') return answerTwin(claimed);
    const faults = claimed.otherBody ? [BODY_DIFFERS] : await this.faultsOf(request, claimed.taken);
    throw earlierCallUnanswered(await this.claims.messageIdsOf(request.accountId, claimed.requestIds), faults);
  }

  /** A process that was frozen for longer than a lease may have lost the names; then nothing is appended to the log. */
  private async prepareHeld(request: SendRequest, lease: ClaimLease): Promise<PreparedRequest> {
    const prepared = await this.preparation.prepare(request);
    if (await lease.isStillHeld()) return prepared;
    throw new Problem('request_in_progress', 'Another request has taken its key or one of its ids.', [], {
      'retry-after': '1',
    });
  }

  /** Frees the names, only where it is certain that no message is on the log. */
  private async release(lease: ClaimLease, error: unknown): Promise<never> {
    await this.claims.release(lease);
    throw error;
  }

  private async abandon(lease: ClaimLease, error: unknown): Promise<never> {
    await this.claims.abandon(lease).catch(() => undefined);
    throw error;
  }

  private append({ accountId, requestId, traceparent }: SendRequest, prepared: PreparedRequest): Promise<Accepted> {
    const { messages } = prepared;
    const facts = { 'messaging.batch.message_count': messages.length };
    const publishing = { name: 'publish MessageRequested', kind: SPAN_KIND.producer, parent: traceparent, facts };
    const acceptedAt = new Date(this.now()).toISOString();
    const durable = inSpan('gateway', publishing, (below) =>
      this.publisher.append(requestRecords({ accountId, requestId, acceptedAt, traceparent: below }, prepared)),
    );
    const ack = acknowledgement(requestId, messages);
    return answerOnceDurable(durable, messages.length, { ack, requestId, replayed: false });
  }
}

/** A function of its own, so that while the log is written nothing but the answer stays in memory. */
async function answerOnceDurable(durable: Promise<void>, messages: number, accepted: Accepted): Promise<Accepted> {
  await durable;
  messagesAccepted.inc(messages);
  return accepted;
}

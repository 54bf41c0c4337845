import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isSendRequest, recipientsOf, type Recipient, type SendEmailRequest } from '@lettermill/contract';
import { newId } from '@lettermill/events';
import { EventPublisher, LogUnavailable } from '@lettermill/log';
import { Problem, validationFailed, type Fault } from '@lettermill/problems';
import { CLOCK, inSpan, SPAN_KIND, type Clock } from '@lettermill/runtime';
import { templateFaults } from '@lettermill/templates';
import stableJson from 'fast-json-stable-stringify';
import { Attachments } from '../attachments/attachments';
import type { RequestFiles, UploadedFile } from '../attachments/request.files';
import { campaignName, CampaignsView, type KnownCampaign } from '../campaigns/campaigns.view';
import { messagesAccepted } from './accept.metrics';
import { Claims, type Claimed } from './claims';
import type { Claim, Name, TakenId } from './claims.store';
import { everyFault, unknownCampaign } from './every.fault';
import { RequestContent, ridesInEvent, sharedText } from './request.content';
import { acknowledgement, messagesOf, requestRecords, type AcceptedMessage, type Prepared } from './request.records';

/** A call as the door hands it over. */
export interface SendCall {
  accountId: string;
  requestId: string;
  body: unknown;
  /** Files of a multipart body; they are gone when the call has been answered. */
  uploads?: UploadedFile[];
  idempotencyKey?: string;
  traceparent?: string;
}

export interface Accepted {
  /** The 202's body as JSON. */
  ack: string;
  replayed: boolean;
}

/**
 * Accepting: check → store attachments → claim names → append every message in one batch → confirm → 202.
 * All messages of a request are accepted, or none; a refused request leaves nothing behind.
 */
@Injectable()
export class Accept {
  constructor(
    private readonly campaigns: CampaignsView,
    private readonly attachments: Attachments,
    private readonly content: RequestContent,
    private readonly claims: Claims,
    private readonly publisher: EventPublisher,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Throws `Problem`; a fault of log or store leaves as it is (503). */
  accept(call: SendCall): Promise<Accepted> {
    return call.uploads ? this.acceptBeside(call.uploads, call) : this.acceptBody(call);
  }

  private async acceptBeside(uploads: UploadedFile[], call: SendCall): Promise<Accepted> {
    try {
      return await this.acceptBody(call);
    } finally {
      await Promise.all(uploads.map(({ draft }) => draft.discard()));
    }
  }

  /** What is not awaited here is not kept in memory either while the log is written: most of the request. */
  private async acceptBody(call: SendCall): Promise<Accepted> {
    const { body } = call;
    if (!isSendRequest(body)) throw validationFailed(await this.faultsOf(call));
    const request = this.requestOf(call, body);
    const names = namesOf(request);
    if (names.length > 0) return this.acceptNamed(request, names);
    return this.append(request, this.readyAtOnce(request) ?? (await this.prepare(request)));
  }

  /** Who can't be asked hides no fault: the campaign counts as known then, and the ids as free. */
  private faultsOf({ accountId, body, uploads }: SendCall, taken?: TakenId[]): Promise<Fault[]> {
    const { attachments, campaigns, claims } = this;
    return everyFault(body, {
      campaign: (name) => campaigns.find(accountId, name).catch(() => ({ attachmentBytes: 0 })),
      taken: (ids) => (taken ? Promise.resolve(taken) : claims.taken(accountId, ids).catch(() => [])),
      files: (asked) => attachments.faults({ ...asked, uploads }),
    });
  }

  private requestOf(
    { accountId, requestId, uploads, idempotencyKey, traceparent }: SendCall,
    body: SendEmailRequest,
  ): Request {
    const recipients = recipientsOf(body);
    const now = this.now();
    const messageIds = recipients.map(() => newId(now));
    return { accountId, requestId, body, uploads, idempotencyKey, traceparent, recipients, messageIds };
  }

  private async acceptNamed(request: Request, names: Name[]): Promise<Accepted> {
    const { accountId, requestId, messageIds } = request;
    const claimed = await this.claims.take({
      accountId,
      requestId,
      names,
      messageIds,
      fingerprint: fingerprint(request),
    });
    if (!('granted' in claimed)) {
      if (claimed.do === 'refuse-ids') throw validationFailed(await this.faultsOf(request, claimed.taken));
      return answered(claimed);
    }
    const { granted } = claimed;
    const own = { ...request, requestId: granted.requestId, messageIds: granted.messageIds };
    const prepared = await this.prepare(own).catch((error: unknown) => this.giveBack(granted, error, true));
    const accepted = await this.append(own, prepared).catch((error: unknown) =>
      this.giveBack(granted, error, error instanceof LogUnavailable && error.unwritten),
    );
    // The messages are on the log: whatever becomes of the confirmation, they are accepted. Without it the names
    // fall to their lease, and a retry is given the same ids.
    await this.claims.confirm(granted, accepted.ack).catch(() => undefined);
    return accepted;
  }

  /** Names are free again only where it is certain that no message is on the log. Should that fail, there is the lease. */
  private async giveBack(claim: Claim, error: unknown, unwritten: boolean): Promise<never> {
    const { claims } = this;
    await (unwritten ? claims.release(claim) : claims.abandon(claim)).catch(() => undefined);
    throw error;
  }

  /** A request that brings nothing but data, for a campaign that is known: nothing has to be waited for. */
  private readyAtOnce(request: Request): Prepared | undefined {
    const { accountId, body, recipients, messageIds } = request;
    if (bringsFiles(request) || bringsTexts(request)) return undefined;
    const campaign = this.campaigns.known(accountId, campaignName(body.campaign));
    if (!campaign) return undefined;
    const sharedJson = body.profile_data && sharedText({ profile_data: body.profile_data });
    if (sharedJson !== undefined && !ridesInEvent(sharedJson)) return undefined;
    return { campaign, messages: messagesOf(recipients, messageIds), sharedJson };
  }

  /** All but the append: what is refused is refused here, and what lies beside the log is stored. */
  private async prepare(request: Request): Promise<Prepared> {
    const campaign = await this.checked(request);
    if (!bringsFiles(request)) return this.contentOf(request, campaign);
    const files = await this.attachments.find(request, campaign.attachmentBytes);
    try {
      if (files.faults.length > 0) throw validationFailed(files.faults);
      return await this.contentOf(request, campaign, files);
    } finally {
      await files.discard();
    }
  }

  /**
   * Rules that need more than the request itself: the campaign, files and their sizes over all levels, templates. No address has been
   * fetched yet: it is not for a request that is refused anyway, and may be good for one time only.
   */
  private async checked(request: Request): Promise<KnownCampaign> {
    const { accountId, body, recipients, uploads } = request;
    const name = campaignName(body.campaign);
    const campaign = this.campaigns.known(accountId, name) ?? (await this.campaigns.find(accountId, name));
    const faults: Fault[] = campaign ? [] : [unknownCampaign(name)];
    if (bringsFiles(request)) {
      faults.push(...this.attachments.faults({ body, uploads, campaignBytes: campaign?.attachmentBytes ?? 0 }));
    }
    if (bringsTexts(request)) {
      faults.push(...(await overrideFaults(body, recipients)));
    }
    if (faults.length > 0) throw validationFailed(faults);
    return campaign!;
  }

  private async contentOf(
    { accountId, body, recipients, messageIds }: Request,
    campaign: KnownCampaign,
    files?: RequestFiles,
  ): Promise<Prepared> {
    const messages = messagesOf(recipients, messageIds);
    const special = messages.filter(({ recipient }) => recipient.message || recipient.attachments);
    if (special.length > 0) await Promise.all(special.map((one) => this.addOwn(accountId, one, files)));
    const shares = files || body.profile_data || body.message;
    const sharedJson = shares ? await this.sharedPart(accountId, body, files) : undefined;
    return { campaign, messages, sharedJson };
  }

  private append({ accountId, requestId, traceparent }: Request, prepared: Prepared): Promise<Accepted> {
    const { messages } = prepared;
    const facts = { 'messaging.batch.message_count': messages.length };
    const publishing = { name: 'publish MessageRequested', kind: SPAN_KIND.producer, parent: traceparent, facts };
    const acceptedAt = new Date(this.now()).toISOString();
    const durable = inSpan('gateway', publishing, (below) =>
      this.publisher.append(requestRecords({ accountId, requestId, acceptedAt, traceparent: below }, prepared)),
    );
    return answeredAfter(durable, messages.length, acknowledgement(requestId, messages));
  }

  /** What a recipient brings beside data: overrides and files. */
  private async addOwn(accountId: string, accepted: AcceptedMessage, files?: RequestFiles): Promise<void> {
    const { message, attachments } = accepted.recipient;
    accepted.message = await this.content.details(accountId, message);
    accepted.attachments = await files?.storeOf(attachments);
  }

  private async sharedPart(
    accountId: string,
    { profile_data, message, attachments }: SendEmailRequest,
    files?: RequestFiles,
  ): Promise<string | undefined> {
    const details = message && (await this.content.details(accountId, message));
    const stored = await files?.storeShared(attachments);
    return this.content.shared(accountId, { profile_data, message: details, attachments: stored });
  }
}

/** A call whose body keeps the contract. */
interface Request extends SendCall {
  body: SendEmailRequest;
  recipients: Recipient[];
  messageIds: string[];
}

/** Holds nothing but the answer until the messages are on the log. */
async function answeredAfter(durable: Promise<void>, messages: number, ack: string): Promise<Accepted> {
  await durable;
  messagesAccepted.inc(messages);
  return { ack, replayed: false };
}

/** Whether it has texts of its own, which may be templates that do not parse. */
function bringsTexts({ body, recipients }: Request): boolean {
  return !!body.message || recipients.some(({ message }) => message);
}

function bringsFiles({ body, recipients, uploads }: Request): boolean {
  return !!uploads?.length || !!body.attachments || recipients.some(({ attachments }) => attachments);
}

/** Two requests are the same when their JSON says the same and their files have the same names and bytes. */
function fingerprint({ body, uploads = [] }: Request): string {
  const files = uploads.map(({ part, fileName, contentType, draft }) => [part, fileName, contentType, draft.blob]);
  return createHash('sha256')
    .update(stableJson([body, files.sort()]))
    .digest('hex');
}

function namesOf({ idempotencyKey, recipients, messageIds }: Request): Name[] {
  const names: Name[] = [];
  recipients.forEach(({ externalMessageId: value }, index) => {
    if (value !== undefined) names.push({ kind: 'external', value, messageId: messageIds[index]! });
  });
  if (idempotencyKey !== undefined) names.push({ kind: 'key', value: idempotencyKey, messageId: null });
  return names;
}

async function overrideFaults(body: SendEmailRequest, recipients: Recipient[]): Promise<Fault[]> {
  const overrides = [{ message: body.message, pointer: '' }, ...recipients].filter(({ message }) => message);
  const faults = await Promise.all(
    overrides.map(({ message, pointer }) => templateFaults(message!, `${pointer}/message`)),
  );
  return faults.flat();
}

/** The answer where another request has the key, or all that this one asks for. */
function answered(claimed: Extract<Claimed, { do: 'replay' | 'refuse-key' | 'wait' }>): Accepted {
  switch (claimed.do) {
    case 'replay':
      return { ack: claimed.ack, replayed: true };
    case 'refuse-key':
      throw new Problem('idempotency_key_reused', 'The first request with this key had another body.');
    case 'wait':
      throw new Problem('request_in_progress', 'The first request is not answered yet.', [], {
        'retry-after': String(claimed.retryAfterS),
      });
  }
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  isSendRequest,
  recipientsOf,
  sendFaults,
  type Recipient,
  type SendEmailAck,
  type SendEmailRequest,
} from '@lettermill/contract';
import { newId } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import { Problem, validationFailed, type Fault } from '@lettermill/problems';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { templateFaults } from '@lettermill/templates';
import stableJson from 'fast-json-stable-stringify';
import { Attachments, kindFaults, sizeFaults } from '../attachments/attachments';
import { CampaignsView, type KnownCampaign } from '../campaigns/campaigns.view';
import { Claims, type Claimed } from './claims';
import type { Claim, Name } from './claims.store';
import { RequestContent } from './request.content';
import { requestRecords, type AcceptedMessage } from './request.records';

/** A call as the door hands it over. */
export interface SendCall {
  accountId: string;
  requestId: string;
  body: unknown;
  idempotencyKey?: string;
  traceparent?: string;
}

export interface Accepted {
  /** The 202's body as JSON. */
  ack: string;
  replayed: boolean;
}

type Granted = Extract<Claimed, { granted: Claim }>;

/**
 * Accepting (design 1): check → store attachments → claim names → append every message in one batch → confirm → 202.
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
  async accept(call: SendCall): Promise<Accepted> {
    const { body } = call;
    if (!isSendRequest(body)) throw validationFailed(sendFaults(body));
    const recipients = recipientsOf(body);
    const messageIds = recipients.map(() => newId(this.now()));
    const names = namesOf(call, recipients, messageIds);
    if (names.length === 0) {
      const campaign = await this.checked(call.accountId, body, recipients);
      return { ack: await this.append(call, body, recipients, campaign, call.requestId, messageIds), replayed: false };
    }
    return this.acceptNamed(call, body, recipients, names, messageIds);
  }

  private async acceptNamed(
    call: SendCall,
    body: SendEmailRequest,
    recipients: Recipient[],
    names: Name[],
    messageIds: string[],
  ): Promise<Accepted> {
    const { accountId, requestId } = call;
    const fingerprint = createHash('sha256').update(stableJson(body)).digest('hex');
    const claimed = await this.claims.take({ accountId, requestId, names, messageIds, fingerprint });
    if (!('granted' in claimed)) return answered(claimed, recipients);
    try {
      const { granted } = claimed;
      const campaign = await this.checked(accountId, body, recipients);
      const ack = await this.append(call, body, recipients, campaign, granted.requestId, granted.messageIds);
      await this.claims.confirm(granted, ack);
      return { ack, replayed: false };
    } catch (error) {
      await this.giveBack(claimed);
      throw error;
    }
  }

  /** A claim that can't be given back now falls to its lease; the caller is told what went wrong first. */
  private async giveBack(claimed: Granted): Promise<void> {
    await this.claims.release(claimed).catch(() => undefined);
  }

  /** Rules that need more than the request itself: the campaign, sizes over all levels, templates. */
  private async checked(accountId: string, body: SendEmailRequest, recipients: Recipient[]): Promise<KnownCampaign> {
    const name = typeof body.campaign === 'string' ? { slug: body.campaign } : body.campaign;
    const campaign = await this.campaigns.find(accountId, name);
    const faults: Fault[] = [
      ...kindFaults(body.attachments, ''),
      ...recipients.flatMap(({ attachments, pointer }) => kindFaults(attachments, pointer)),
      ...sizeFaults(campaign?.attachmentBytes ?? 0, body.attachments, recipients),
      ...(await overrideFaults(body, recipients)),
    ];
    if (!campaign) faults.unshift(unknownCampaign(name));
    if (faults.length > 0) throw validationFailed(faults);
    return campaign!;
  }

  private async append(
    { accountId, traceparent }: SendCall,
    body: SendEmailRequest,
    recipients: Recipient[],
    { id, slug, version }: KnownCampaign,
    requestId: string,
    messageIds: string[],
  ): Promise<string> {
    const [sharedJson, messages] = await Promise.all([
      this.sharedPart(accountId, body),
      Promise.all(recipients.map((recipient, index) => this.message(accountId, recipient, messageIds[index]!))),
    ]);
    const acceptedAt = new Date(this.now()).toISOString();
    const campaign = { id, slug, version };
    await this.publisher.append(
      requestRecords({ accountId, requestId, acceptedAt, campaign, messages, sharedJson, traceparent }),
    );
    return acknowledgement(requestId, messages);
  }

  private async sharedPart(accountId: string, body: SendEmailRequest): Promise<string | undefined> {
    const { profile_data, message, attachments } = body;
    if (!profile_data && !message && !attachments) return undefined;
    return this.content.shared(accountId, {
      profile_data,
      message: await this.content.details(accountId, message),
      attachments: await this.attachments.store(accountId, attachments),
    });
  }

  private async message(accountId: string, recipient: Recipient, messageId: string): Promise<AcceptedMessage> {
    const { message, attachments } = recipient;
    if (!message && !attachments) return { messageId, recipient };
    return {
      messageId,
      recipient,
      message: await this.content.details(accountId, message),
      attachments: await this.attachments.store(accountId, attachments),
    };
  }
}

function acknowledgement(requestId: string, messages: AcceptedMessage[]): string {
  const ack: SendEmailAck = {
    request_id: requestId,
    messages: messages.map(({ messageId, recipient }) => ({
      message_id: messageId,
      contact_key: recipient.contactKeyObject,
      external_message_id: recipient.externalMessageId,
    })),
  };
  return JSON.stringify(ack);
}

function namesOf({ idempotencyKey }: SendCall, recipients: Recipient[], messageIds: string[]): Name[] {
  const names: Name[] = recipients.flatMap(({ externalMessageId }, index) =>
    externalMessageId === undefined
      ? []
      : [{ kind: 'external' as const, value: externalMessageId, messageId: messageIds[index]! }],
  );
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

function unknownCampaign(name: { id: string } | { slug: string }): Fault {
  const value = 'id' in name ? name.id : name.slug;
  return { pointer: '/campaign', code: 'campaign_unknown', detail: `No campaign «${value}» was launched here.` };
}

/** The answer where another request holds the names. */
function answered(claimed: Exclude<Claimed, Granted>, recipients: Recipient[]): Accepted {
  switch (claimed.do) {
    case 'replay':
      return { ack: claimed.ack, replayed: true };
    case 'refuse-key':
      throw new Problem('idempotency_key_reused', 'The first request with this key had another body.');
    case 'wait':
      throw new Problem('request_in_progress', 'The first request is not answered yet.', [], { 'retry-after': '1' });
    case 'refuse-ids':
      throw validationFailed(takenFaults(claimed.taken, recipients));
  }
}

function takenFaults(taken: { value: string; messageId: string }[], recipients: Recipient[]): Fault[] {
  const messageOf = new Map(taken.map(({ value, messageId }) => [value, messageId]));
  return recipients.flatMap(({ externalMessageId, pointer }) => {
    const messageId = externalMessageId === undefined ? undefined : messageOf.get(externalMessageId);
    return messageId === undefined
      ? []
      : [
          {
            pointer: `${pointer}/external_message_id`,
            code: 'external_message_id_taken' as const,
            detail: `Message ${messageId} has this external_message_id.`,
            message_id: messageId,
          },
        ];
  });
}

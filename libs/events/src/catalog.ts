import { Type, type Static } from '@sinclair/typebox';
import {
  MessageBounced,
  MessageCancelled,
  MessageComplained,
  MessageCopiesTried,
  MessageDeferred,
  MessageFailed,
  MessageRetried,
  MessageReturned,
  MessageSending,
  MessageSent,
  MessageSuppressed,
  MessageUncertain,
} from './outcomes';
import {
  Address,
  AttachmentRef,
  BlobRef,
  Body,
  CampaignRef,
  ContactIdentity,
  ContactKey,
  Copies,
  Details,
  Id,
  Instant,
  Json,
  LostCopy,
  MessageIdentity,
  OnUncertain,
  Priority,
  Reason,
  Shared,
} from './parts';
import { closed, Nullable } from './schema';
import { TOPICS } from './topics';

export const MessageRequested = Type.Object(
  {
    ...MessageIdentity,
    request_id: Type.String(),
    accepted_at: Instant,
    external_message_id: Type.Optional(Type.String()),
    campaign: CampaignRef,
    campaign_copies: Type.Optional({
      ...Copies,
      description: 'the addresses that this version of the campaign sends copies to',
    }),
    contact_key: ContactKey,
    name: Type.Optional(Type.String({ description: 'display name given beside an address in `to`' })),
    email_address: Type.Optional(Address),
    profile_data: Type.Optional(Json),
    message: Type.Optional(Details),
    attachments: Type.Optional(Type.Array(AttachmentRef)),
    shared: Type.Optional(Type.Union([BlobRef, Shared])),
  },
  { ...closed, description: 'The gateway accepted one message of a request.' },
);
export type MessageRequested = Static<typeof MessageRequested>;

export const Contact = Type.Object(
  { ...ContactIdentity, profile: Json, version: Type.Integer({ minimum: 1 }) },
  closed,
);
export type Contact = Static<typeof Contact>;

export const ContactUpserted = Type.Object(
  {
    ...MessageIdentity,
    contact: Contact,
    unsubscribed: Type.Optional({
      ...Reason,
      description: 'the recipient wants no mails of campaigns with unsubscribe links',
    }),
    suppressed_copies: Type.Optional(
      Type.Array(LostCopy, {
        description: 'copies to suppressed addresses; `unsubscribed` applies only to campaigns with unsubscribe links',
      }),
    ),
    request_id: Type.String(),
    accepted_at: Instant,
    campaign: CampaignRef,
    to: Address,
    message: Type.Optional(Details),
    attachments: Type.Optional(Type.Array(AttachmentRef)),
    shared: Type.Optional(Type.Union([BlobRef, Shared])),
  },
  { ...closed, description: 'The contact of a message was found or created, and the profile data merged.' },
);
export type ContactUpserted = Static<typeof ContactUpserted>;

export const ContactChanged = Type.Object(
  { ...MessageIdentity, contact: Contact },
  {
    ...closed,
    description:
      'The contact of a message as it is stored: the message was ended by `contacts` after it made or changed the contact, or its record was read again.',
  },
);
export type ContactChanged = Static<typeof ContactChanged>;

/** A mail ready to be composed: everything is decided, Message-ID and Date included. */
export const Mail = Type.Object(
  {
    message_id: Type.String({ description: 'Message-ID header field, with its angle brackets' }),
    date: Instant,
    from: Address,
    to: Address,
    reply_to: Type.Optional(Address),
    cc: Type.Array(Address),
    in_reply_to: Type.Optional(Type.String()),
    subject: Type.String(),
    text: Type.Optional(Body),
    html: Type.Optional(Body),
    headers: Type.Array(Type.Tuple([Type.String(), Type.String()])),
    attachments: Type.Array(AttachmentRef),
  },
  closed,
);
export type Mail = Static<typeof Mail>;

export const MessageQueued = Type.Object(
  {
    ...MessageIdentity,
    campaign: CampaignRef,
    priority: Priority,
    on_uncertain: OnUncertain,
    expires_at: Nullable(Instant),
    envelope: Type.Object({ from: Type.String(), to: Type.Array(Type.String(), { minItems: 1 }) }, closed),
    suppressed_copies: Type.Optional(
      Type.Array(LostCopy, { description: 'copies that are not sent, because their address is suppressed' }),
    ),
    mail: Mail,
  },
  { ...closed, description: 'The mail was rendered and waits to be sent.' },
);
export type MessageQueued = Static<typeof MessageQueued>;

export const CampaignLaunched = Type.Object(
  {
    account_id: Type.String(),
    id: Id,
    slug: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    launched_at: Instant,
    name: Nullable(Type.String()),
    from: Address,
    priority: Priority,
    on_uncertain: OnUncertain,
    valid_for: Nullable(Type.Integer({ minimum: 1 })),
    on_missing: Type.Optional(Type.Literal('fail')),
    unsubscribe: Type.Optional(Type.Literal('one_click')),
    message: Details,
    attachments: Type.Array(AttachmentRef),
    fingerprint: Type.String({ description: 'SHA-256 of the content; the same content makes no new version' }),
  },
  { ...closed, description: 'A campaign has a new version. Versions never change.' },
);
export type CampaignLaunched = Static<typeof CampaignLaunched>;

/** Every event type: the topic family that it is written to, by which services, its version and the schema of its data. */
export const CATALOG = {
  MessageRequested: { topic: TOPICS.messageRequested, by: ['gateway'], version: 1, schema: MessageRequested },
  ContactUpserted: { topic: TOPICS.contactUpserted, by: ['contacts'], version: 1, schema: ContactUpserted },
  ContactChanged: { topic: TOPICS.contactUpserted, by: ['contacts'], version: 1, schema: ContactChanged },
  MessageQueued: { topic: TOPICS.messageQueued, by: ['renderer'], version: 1, schema: MessageQueued },
  MessageSending: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageSending },
  MessageSent: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageSent },
  MessageDeferred: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageDeferred },
  MessageBounced: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageBounced },
  MessageFailed: {
    topic: TOPICS.messageOutcome,
    by: ['contacts', 'renderer', 'dispatch'],
    version: 1,
    schema: MessageFailed,
  },
  MessageUncertain: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageUncertain },
  MessageCopiesTried: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageCopiesTried },
  MessageReturned: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageReturned },
  MessageComplained: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageComplained },
  MessageSuppressed: {
    topic: TOPICS.messageOutcome,
    by: ['contacts', 'renderer'],
    version: 1,
    schema: MessageSuppressed,
  },
  MessageCancelled: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageCancelled },
  MessageRetried: { topic: TOPICS.messageOutcome, by: ['dispatch'], version: 1, schema: MessageRetried },
  CampaignLaunched: { topic: TOPICS.campaignLaunched, by: ['renderer'], version: 1, schema: CampaignLaunched },
} as const;

export type EventType = keyof typeof CATALOG;
export type EventData<T extends EventType> = Static<(typeof CATALOG)[T]['schema']>;

import { Type, type Static } from '@sinclair/typebox';
import { ID_PATTERN } from '@lettermill/contract';
import type { ReasonCode } from '@lettermill/problems';
import { closed, Nullable } from './schema';

export const Id = Type.String({ pattern: ID_PATTERN });
export const Instant = Type.String({ minLength: 20, description: 'RFC 3339, UTC, milliseconds' });

/** The fields that identify a message in every event about it. */
export const MessageIdentity = { account_id: Type.String(), message_id: Id };

export const Address = Type.Object({ email: Type.String(), name: Type.Optional(Type.String()) }, closed);
export type Address = Static<typeof Address>;

/** A reference to large content: the SHA-256 of its bytes, under the account that owns it (claim check). */
export const BlobRef = Type.Object(
  { blob: Type.String({ pattern: '^[0-9a-f]{64}$' }), size: Type.Integer({ minimum: 0 }) },
  closed,
);
export type BlobRef = Static<typeof BlobRef>;

/** A text: inline, or a reference once it is over 256 KiB. */
export const Body = Type.Union([Type.String(), BlobRef]);
export type Body = Static<typeof Body>;

export const AttachmentRef = Type.Object(
  {
    blob: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    size: Type.Integer({ minimum: 0 }),
    file_name: Type.String(),
    content_type: Type.String(),
    cid: Type.Optional(Type.String()),
  },
  closed,
);
export type AttachmentRef = Static<typeof AttachmentRef>;

/** EmailMessageDetails of the contract, with bodies that may be references. */
export const Details = Type.Object(
  {
    reply_to: Type.Optional(Address),
    cc: Type.Optional(Type.Array(Address)),
    bcc: Type.Optional(Type.Array(Address)),
    subject: Type.Optional(Type.String()),
    text: Type.Optional(Body),
    html: Type.Optional(Body),
    in_reply_to: Type.Optional(Type.String()),
    headers: Type.Optional(Type.Record(Type.String(), Nullable(Type.String()))),
  },
  closed,
);
export type Details = Static<typeof Details>;

/** The addresses that a message's copies go to. */
export const Copies = Type.Pick(Details, ['cc', 'bcc'], closed);
export type Copies = Static<typeof Copies>;

export const CampaignRef = Type.Object({ id: Id, slug: Type.String(), version: Type.Integer({ minimum: 1 }) }, closed);
export type CampaignRef = Static<typeof CampaignRef>;

/** One property: the contact field and the identifier in it (contract: ContactKey). */
export const ContactKey = Type.Record(Type.String(), Type.String(), { minProperties: 1, maxProperties: 1 });
export type ContactKey = Static<typeof ContactKey>;

/** The id and the keys of a contact. */
export const ContactIdentity = {
  id: Id,
  email: Nullable(Type.String()),
  sms: Nullable(Type.String()),
  keys: Type.Record(Type.String(), Type.String(), { description: 'custom keys' }),
};

export const KnownContact = Type.Object(ContactIdentity, {
  ...closed,
  description: 'the contact of the message, if contacts ended it and knows one',
});
export type KnownContact = Static<typeof KnownContact>;

/** Any JSON object; keys such as `__proto__` are data like any other. */
export const Json = Type.Record(Type.String(), Type.Unknown());
export type Json = Static<typeof Json>;

/** What the recipients of one request have in common. */
export const Shared = Type.Object(
  {
    profile_data: Type.Optional(Json),
    message: Type.Optional(Details),
    attachments: Type.Optional(Type.Array(AttachmentRef)),
  },
  closed,
);
export type Shared = Static<typeof Shared>;

/** The codes are for those who write it: a record may have one that only a later version knows. */
export const Reason = Type.Object({ code: Type.Unsafe<ReasonCode>(Type.String()), detail: Type.String() }, closed);
export type Reason = Static<typeof Reason>;

/** An SMTP server's answer (RFC 5321 code, RFC 3463 enhanced code). */
export const Reply = Type.Object(
  {
    code: Type.Integer(),
    enhanced: Nullable(Type.String()),
    text: Type.String(),
  },
  closed,
);
export type Reply = Static<typeof Reply>;

export const AttemptOutcome = Type.Union([
  Type.Literal('sent'),
  Type.Literal('deferred'),
  Type.Literal('bounced'),
  Type.Literal('failed'),
  Type.Literal('unknown'),
]);
export type AttemptOutcome = Static<typeof AttemptOutcome>;

/** What the next hop answered to one recipient of the envelope. */
export const RecipientReply = Type.Object({ address: Type.String(), reply: Nullable(Reply) }, closed);
export type RecipientReply = Static<typeof RecipientReply>;

/** A copy that is not sent, and why. */
export const LostCopy = Type.Object({ address: Type.String(), code: Type.String(), detail: Type.String() }, closed);
export type LostCopy = Static<typeof LostCopy>;

/** A copy that is not tried again. `hard` is optional, so that records from before it existed stay readable. */
const GivenUpCopy = Type.Object(
  {
    ...LostCopy.properties,
    hard: Type.Optional(
      Type.Boolean({ description: 'there is no such mailbox or domain: the address is to be suppressed' }),
    ),
  },
  closed,
);
type GivenUpCopy = Static<typeof GivenUpCopy>;

/** Copies (cc, bcc) of a mail that the next hop did not take, after an attempt. */
export const CopiesLeft = Type.Object(
  {
    waiting: Type.Array(Type.String(), { description: 'deferred: they are tried again on their own' }),
    given_up: Type.Array(GivenUpCopy),
    retry_at: Nullable(Instant),
  },
  closed,
);
export type CopiesLeft = Static<typeof CopiesLeft>;

/** How a connection was secured. */
export const AttemptTls = Type.Object(
  {
    protocol: Type.String(),
    cipher: Type.String(),
    verified: Type.Boolean({ description: 'the certificate is valid for the name of the next hop' }),
  },
  closed,
);
export type AttemptTls = Static<typeof AttemptTls>;

/** One SMTP conversation for a message, as it ended. */
export const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    at: Instant,
    ended_at: Instant,
    next_hop: Type.String(),
    remote_address: Type.Optional(
      Type.String({ description: 'address connected to; absent if there was no connection' }),
    ),
    tls: Type.Optional(Type.Union([AttemptTls, Type.Null()], { description: 'null: unencrypted' })),
    outcome: AttemptOutcome,
    reply: Nullable(Reply),
    recipients: Type.Optional(
      Type.Array(RecipientReply, { description: 'if the mail has copies: the reply to each address' }),
    ),
    detail: Type.Optional(Type.String({ description: 'what happened, if no reply says so' })),
  },
  closed,
);
export type Attempt = Static<typeof Attempt>;

export const Priority = Type.Union([Type.Literal('high'), Type.Literal('normal'), Type.Literal('bulk')]);
export type Priority = Static<typeof Priority>;

export const OnUncertain = Type.Union([Type.Literal('retry'), Type.Literal('hold')]);
export type OnUncertain = Static<typeof OnUncertain>;

import { Type, type Static } from '@sinclair/typebox';
import { Attempt, CopiesLeft, Instant, KnownContact, LostCopy, MessageIdentity, Reason } from './parts';
import { closed, Nullable } from './schema';

export const MessageSending = Type.Object(
  { ...MessageIdentity, attempt: Type.Integer({ minimum: 1 }), next_hop: Type.String() },
  { ...closed, description: 'An attempt has been running for more than a moment.' },
);
export type MessageSending = Static<typeof MessageSending>;

export const MessageSent = Type.Object(
  { ...MessageIdentity, attempt: Attempt, copies: Type.Optional(CopiesLeft) },
  { ...closed, description: 'The next hop answered 250 to the whole mail.' },
);
export type MessageSent = Static<typeof MessageSent>;

export const MessageDeferred = Type.Object(
  { ...MessageIdentity, attempt: Attempt, reason: Reason, retry_at: Instant },
  { ...closed, description: 'The attempt failed for now; another one follows.' },
);
export type MessageDeferred = Static<typeof MessageDeferred>;

export const MessageBounced = Type.Object(
  {
    ...MessageIdentity,
    attempt: Attempt,
    reason: Reason,
    address: Type.String(),
    hard: Type.Boolean({ description: 'there is no such mailbox or domain: the address is to be suppressed' }),
    copies: Type.Optional(CopiesLeft),
  },
  { ...closed, description: 'The next hop refused the mail permanently.' },
);
export type MessageBounced = Static<typeof MessageBounced>;

export const MessageFailed = Type.Object(
  { ...MessageIdentity, attempt: Type.Optional(Attempt), reason: Reason, contact: Type.Optional(KnownContact) },
  { ...closed, description: 'We could not send the message; `reason` says why.' },
);
export type MessageFailed = Static<typeof MessageFailed>;

export const MessageUncertain = Type.Object(
  { ...MessageIdentity, attempt: Attempt, reason: Reason, retry_at: Nullable(Instant) },
  {
    ...closed,
    description: 'The connection broke or the process ended after the final dot; the mail may have arrived.',
  },
);
export type MessageUncertain = Static<typeof MessageUncertain>;

export const MessageCopiesTried = Type.Object(
  {
    ...MessageIdentity,
    attempt: Type.Optional(Attempt),
    reason: Nullable(Reason),
    copies: CopiesLeft,
  },
  {
    ...closed,
    description:
      'Deferred copies were tried again on their own, or given up. The state of the message does not change.',
  },
);
export type MessageCopiesTried = Static<typeof MessageCopiesTried>;

export const MessageSuppressed = Type.Object(
  { ...MessageIdentity, reason: Reason, address: Type.String(), contact: Type.Optional(KnownContact) },
  { ...closed, description: 'The address is suppressed; nothing was sent to it.' },
);
export type MessageSuppressed = Static<typeof MessageSuppressed>;

export const MessageCancelled = Type.Object(
  { ...MessageIdentity, reason: Reason },
  { ...closed, description: 'Somebody cancelled the message while it waited. It is not sent, or not sent again.' },
);
export type MessageCancelled = Static<typeof MessageCancelled>;

export const MessageRetried = Type.Object(
  {
    ...MessageIdentity,
    attempt: Type.Integer({ minimum: 1, description: 'number of the next attempt' }),
    was: Type.Union([
      Type.Literal('queued'),
      Type.Literal('deferred'),
      Type.Literal('uncertain'),
      Type.Literal('bounced'),
      Type.Literal('failed'),
    ]),
    suppressed_copies: Type.Optional(
      Type.Array(LostCopy, {
        description: 'copies that are no longer sent, because their address was suppressed meanwhile',
      }),
    ),
  },
  { ...closed, description: 'Somebody asked for another attempt with the same mail. It is due now.' },
);
export type MessageRetried = Static<typeof MessageRetried>;

export const MessageReturned = Type.Object(
  {
    ...MessageIdentity,
    address: Type.String(),
    own: Type.Boolean({ description: "it is about the message's own recipient, not about a copy" }),
    hard: Type.Boolean({ description: 'there is no such mailbox or domain: the address is to be suppressed' }),
    status: Nullable(Type.String({ description: 'RFC 3463 code in the report' })),
    reason: Reason,
  },
  { ...closed, description: 'A report says that a later server refused a mail which the next hop had accepted.' },
);
export type MessageReturned = Static<typeof MessageReturned>;

export const MessageComplained = Type.Object(
  { ...MessageIdentity, address: Type.String() },
  { ...closed, description: 'A feedback report says that the recipient complained about the mail.' },
);
export type MessageComplained = Static<typeof MessageComplained>;

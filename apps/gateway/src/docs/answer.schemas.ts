import { ID_PATTERN, SUPPRESSION_REASONS } from '@lettermill/contract';
import { MESSAGE_STATES, TIMELINE_TYPES, type AttemptEntry, type MessageAnswer } from '@lettermill/events';
import { REASONS } from '@lettermill/problems';
import { SENT_MESSAGE } from './answer.examples';

/** Shapes of the answers that the gateway forwards, for the OpenAPI document. */

const text = { type: 'string' } as const;
export const instant = { type: 'string', format: 'date-time' } as const;
const id = { type: 'string', pattern: ID_PATTERN, examples: [SENT_MESSAGE.message_id] } as const;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const nullableRef = (name: string) => ({ oneOf: [ref(name), { type: 'null' }] });
/** Not as `oneOf`: to client generators, a form without a name is a type of its own. */
const nullable = <Schema extends { type: string }>(schema: Schema) => ({ ...schema, type: [schema.type, 'null'] });
type OptionalOf<Body> = { [Name in keyof Body]-?: undefined extends Body[Name] ? Name : never }[keyof Body];
/** With the type of the body as `Body`, the compiler requires exactly its fields: none missing, none too many. */
const object = <Body = Record<string, unknown>>(
  properties: Record<keyof Body, object>,
  optional: OptionalOf<Body>[] = [],
) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !(optional as PropertyKey[]).includes(name)),
});
/** A list of words has a name of its own, as client generators name types after schemas. */
const words = (...names: readonly string[]) => ({ type: 'string', enum: names });
const list = (item: string) => ({ type: 'array', items: ref(item) });
const page = (item: string) => object({ data: list(item), next_cursor: { ...nullable(text), examples: [null] } });

export const ANSWER_SCHEMAS: Record<string, object> = {
  MessageState: words(...MESSAGE_STATES),
  Key: object({ id, name: nullable(text), created_at: instant, current: { type: 'boolean' } }),
  KeyList: object({ data: list('Key') }),
  NewKey: object({ id, key: text, name: nullable(text), created_at: instant }),
  ReasonCode: words(...Object.keys(REASONS)),
  Reason: object({ code: text, detail: text }),
  LostCopy: object({ address: text, code: text, detail: text }),
  Reply: object({ code: { type: 'integer' }, enhanced: nullable(text), text }),
  TlsSession: object({ protocol: text, cipher: text, verified: { type: 'boolean' } }),
  RecipientReply: object({ address: text, reply: nullableRef('Reply') }),
  UndeliveredCopies: {
    ...object({ waiting: { type: 'array', items: text }, given_up: list('LostCopy') }),
    description: 'Copies (cc, bcc) that the next hop did not accept: retried on their own, or given up',
  },
  AttemptOutcome: words('sent', 'deferred', 'bounced', 'failed', 'unknown'),
  Attempt: {
    ...object<AttemptEntry>(
      {
        number: { type: 'integer', minimum: 1 },
        at: instant,
        ended_at: instant,
        next_hop: text,
        remote_address: text,
        tls: nullableRef('TlsSession'),
        outcome: ref('AttemptOutcome'),
        reply: nullableRef('Reply'),
        recipients: list('RecipientReply'),
        detail: text,
        reason: nullableRef('Reason'),
        next_attempt_at: nullable(instant),
        copies: ref('UndeliveredCopies'),
      },
      ['remote_address', 'tls', 'recipients', 'detail', 'copies'],
    ),
    description: 'One try to send the message over SMTP',
  },
  TimelineEntry: {
    ...object(
      {
        type: { ...text, description: `${TIMELINE_TYPES.map((type) => `\`${type}\``).join(', ')}; more may be added` },
        at: instant,
        suppressed_copies: {
          ...list('LostCopy'),
          description:
            'With `queued` and `retried`: copies (cc, bcc) that are not sent, or no longer sent, because their address is suppressed',
        },
      },
      ['suppressed_copies'],
    ),
    additionalProperties: { description: 'Further properties, depending on `type`' },
  },
  MessageCampaign: {
    ...object({ id, slug: text, version: { type: 'integer' } }),
    description: 'The version of the campaign that the message was accepted with',
  },
  Message: {
    ...object<MessageAnswer>(
      {
        message_id: id,
        request_id: text,
        external_message_id: text,
        contact_key: { type: 'object', additionalProperties: text },
        campaign: ref('MessageCampaign'),
        state: ref('MessageState'),
        reason: nullableRef('Reason'),
        created_at: instant,
        updated_at: instant,
        next_attempt_at: nullable(instant),
        timeline: list('TimelineEntry'),
        attempts: list('Attempt'),
      },
      ['external_message_id'],
    ),
    examples: [SENT_MESSAGE],
  },
  MessageOrder: object({ message_id: id, state: ref('MessageState'), next_attempt_at: nullable(instant) }),
  MessageList: page('Message'),
  ReportedRecipient: object({
    address: text,
    kind: ref('ReportKind'),
    hard: { type: 'boolean' },
    status: nullable(text),
    reason: text,
    detail: text,
  }),
  InboundReport: object({
    kind: ref('ReportKind'),
    message_id: nullable(id),
    recipient: nullable(text),
    hard: { type: 'boolean', description: 'There is no such mailbox or domain: the address is suppressed' },
    status: nullable(text),
    reason: nullable(text),
    recipients: list('ReportedRecipient'),
    recorded: { type: 'boolean', description: 'Whether the report is in the timeline of the message' },
  }),
  ReportKind: words('bounce', 'delayed', 'delivered', 'complaint', 'feedback', 'none'),
  CampaignFile: object({ file_name: text, content_type: text, size: { type: 'integer' }, cid: text }, ['cid']),
  Campaign: object(
    {
      id,
      slug: text,
      version: { type: 'integer', minimum: 1 },
      name: nullable(text),
      from: ref('EmailAddress'),
      priority: ref('CampaignPriority'),
      on_uncertain: ref('CampaignOnUncertain'),
      on_missing: ref('CampaignOnMissing'),
      unsubscribe: ref('CampaignUnsubscribe'),
      valid_for: nullable({ type: 'integer' }),
      launched_at: instant,
      subject: text,
      text,
      html: text,
      reply_to: ref('EmailAddress'),
      cc: list('EmailAddress'),
      bcc: list('EmailAddress'),
      in_reply_to: text,
      headers: { type: 'object', additionalProperties: nullable(text) },
      attachments: list('CampaignFile'),
    },
    ['unsubscribe', 'text', 'html', 'reply_to', 'cc', 'bcc', 'in_reply_to', 'headers'],
  ),
  CampaignList: page('Campaign'),
  Contact: object({
    id,
    keys: { type: 'object', additionalProperties: text },
    profile: { type: 'object', additionalProperties: true },
    version: { type: 'integer', minimum: 1 },
    created_at: instant,
    updated_at: instant,
  }),
  Suppression: object({
    address: text,
    reason: {
      ...text,
      description:
        'The cause that holds back most: the code of the bounce, `complained` or `manual`; `unsubscribed` only if there is no other',
    },
    message_id: nullable({ ...id, description: 'The message that was the cause; null if it was a call' }),
    at: instant,
    unsubscribed_at: nullable({ ...instant, description: 'When the recipient unsubscribed, whatever `reason` shows' }),
    manual_at: nullable({ ...instant, description: 'When a call suppressed the address, whatever `reason` shows' }),
  }),
  SuppressionReason: words(...SUPPRESSION_REASONS),
  SuppressionList: page('Suppression'),
  DkimRecordUse: {
    ...words('current', 'next', 'retired'),
    description:
      '`next` keys wait to be verified; `retired` keys no longer sign, but their records are needed for a week',
  },
  DkimRecordAlgorithm: words('rsa-sha256', 'ed25519-sha256'),
  DkimRecordStatus: {
    ...words('unchecked', 'found', 'missing', 'differs', 'unreachable'),
    description: 'What the last lookup in DNS found',
  },
  DkimRecord: object(
    {
      use: ref('DkimRecordUse'),
      selector: text,
      algorithm: ref('DkimRecordAlgorithm'),
      type: { type: 'string', enum: ['TXT'] },
      name: { ...text, description: 'The name to publish the record under' },
      value: text,
      strings: {
        type: 'array',
        items: { ...text, maxLength: 255 },
        description: 'The value, split into the strings of a TXT record',
      },
      zone: { ...text, description: 'The record as a line of a zone file' },
      status: ref('DkimRecordStatus'),
      found: {
        type: 'array',
        items: text,
        description: 'The records that DNS has under this name; only in the answer to `verify`',
      },
    },
    ['found'],
  ),
  DomainStatus: words('pending', 'verified'),
  Domain: object({
    domain: { ...text, description: 'The domain in A-labels' },
    status: ref('DomainStatus'),
    signing: { type: 'boolean', description: 'Whether its mails are signed now' },
    sign: ref('DomainSign'),
    require: { type: 'boolean' },
    records: list('DkimRecord'),
    created_at: instant,
    updated_at: instant,
    verified_at: nullable(instant),
    checked_at: nullable(instant),
  }),
  DomainList: page('Domain'),
};

import { Type, type Static } from '@sinclair/typebox';
import { EmailValue } from './address.schema';
import { ClosedObject, PatternRecord } from './schema';

/** The body of a mail, as text or html. */
const Body = (description: string) => Type.Optional(Type.String({ description, 'x-text': ['mailBody'] }));

const Copies = (description: string) =>
  Type.Optional(Type.Array(EmailValue, { description, maxItems: 10, uniqueItems: true, 'x-list': ['unique'] }));

/** A token of RFC 9110: in practice the field names of RFC 5322 are such tokens. */
const HEADER_NAME = "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]{1,200}$";

export const EmailHeaders = PatternRecord(
  HEADER_NAME,
  Type.Unsafe<string | null>({ type: ['string', 'null'], 'x-text': ['plain'] }),
  {
    title: 'EmailHeaders',
    description:
      'Additional header fields by name (at most 200 ASCII token characters), at most 64 KiB together; `null` removes an inherited one. From, To, Cc, Bcc, Subject, Reply-To, In-Reply-To, Content-Type, MIME-Version and those owned by the transport are ignored.',
    minProperties: 1,
    'x-object': ['headers'],
    examples: [{ 'X-Order': '1001' }],
  },
);
export type EmailHeaders = Static<typeof EmailHeaders>;

export const Subject = Type.String({
  description: 'Subject; a template.',
  maxLength: 255,
  pattern: '^[^\\r\\n]*$',
  'x-text': ['plain'],
});

/** The properties of EmailMessageDetails. A campaign has them too. */
export const DETAILS = {
  reply_to: Type.Optional({ ...EmailValue, description: 'Where replies go.' } as typeof EmailValue),
  cc: Copies('Copies; replaces the inherited list.'),
  bcc: Copies('Copies hidden from the other recipients; replaces the inherited list.'),
  subject: Type.Optional(Subject),
  text: Body('Plain text; a template. At most 1 MiB.'),
  html: Body('HTML, or MJML if it begins with `<mjml`; a template. At most 1 MiB.'),
  in_reply_to: Type.Optional(
    Type.String({
      description: 'Message-ID of the mail that this one replies to, in angle brackets (RFC 5322).',
      maxLength: 990,
      pattern: '^<[^<>]+>$',
      'x-text': ['plain'],
      examples: ['<1001@example.com>'],
    }),
  ),
  headers: Type.Optional(EmailHeaders),
};

export const EmailMessageDetails = ClosedObject(DETAILS, {
  title: 'EmailMessageDetails',
  description: 'Overrides, field by field: recipient over request over campaign.',
  examples: [{ subject: 'Your order {{ order_number }}', reply_to: 'help@example.com' }],
});
export type EmailMessageDetails = Static<typeof EmailMessageDetails>;

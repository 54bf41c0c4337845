import { Type, type Static } from '@sinclair/typebox';
import { ClosedObject, OneOf } from './schema';

export const EmailString = Type.String({
  title: 'EmailString',
  description:
    'An RFC 5321 mailbox of at most 254 octets: a dot-atom or quoted local part (at most 64 octets, UTF-8 allowed) and a domain of two labels or more. Internationalised domains are sent as A-labels.',
  format: 'email',
  'x-text': ['address'],
  examples: ['ada@example.com'],
});
export type EmailString = Static<typeof EmailString>;

export const EmailAddress = ClosedObject(
  {
    email: EmailString,
    name: Type.Optional(
      Type.String({ description: 'Display name.', maxLength: 1000, 'x-text': ['plain'], examples: ['Ada Lovelace'] }),
    ),
  },
  { title: 'EmailAddress', examples: [{ email: 'ada@example.com', name: 'Ada Lovelace' }] },
);
export type EmailAddress = Static<typeof EmailAddress>;

export const EmailValue = OneOf('emailValue', [EmailString, EmailAddress], {
  title: 'EmailValue',
  description: 'An address, with or without a display name.',
});
export type EmailValue = Static<typeof EmailValue>;

const KEY_TEXT = { minLength: 1, maxLength: 255, 'x-text': ['plain'] };

const CUSTOM_KEY_NAME = '^(?!(?:email|sms|id)$)[A-Za-z][A-Za-z0-9_-]{1,44}$';

export interface ContactKey {
  [field: string]: string;
}

export const ContactKey = Type.Unsafe<ContactKey>({
  title: 'ContactKey',
  description:
    'Exactly one property. Its name is the field that identifies the contact: `email`, `sms`, `id`, or a custom name of 2 to 45 characters. Its value is the identifier.',
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  properties: {
    email: EmailString,
    sms: Type.String({ description: 'Phone number in E.164.', 'x-text': ['phone'], examples: ['+31612345678'] }),
    id: Type.String({ description: 'Contact id, as given by this service.', ...KEY_TEXT }),
  },
  patternProperties: { [CUSTOM_KEY_NAME]: Type.String({ description: 'Custom contact key.', ...KEY_TEXT }) },
  additionalProperties: false,
  examples: [{ customer_number: 'C-1001' }],
});

import { Type, type Static } from '@sinclair/typebox';
import { ContactKey, EmailAddress, EmailString, EmailValue } from './address.schema';
import { Attachments } from './attachment.schema';
import { EmailMessageDetails } from './details.schema';
import { ID_PATTERN, SLUG_PATTERN } from './patterns';
import { ClosedObject, OneOf } from './schema';

export const CampaignSlug = Type.String({
  title: 'CampaignSlug',
  description: 'The name that the campaign was launched under.',
  pattern: SLUG_PATTERN,
  examples: ['welcome'],
});

export const CampaignId = Type.String({
  title: 'CampaignId',
  description: 'The id that the campaign got when it was launched.',
  pattern: ID_PATTERN,
});

export const IdReference = ClosedObject({ id: CampaignId }, { title: 'IdReference' });
export const SlugReference = ClosedObject({ slug: CampaignSlug }, { title: 'SlugReference' });

export const CampaignReference = OneOf('campaign', [CampaignSlug, IdReference, SlugReference], {
  title: 'CampaignReference',
  description: 'A slug, `{"id"}` or `{"slug"}`.',
  examples: ['welcome'],
});
export type CampaignReference = Static<typeof CampaignReference>;

export const ProfileData = Type.Unsafe<Record<string, unknown>>({
  title: 'ProfileData',
  description:
    'Any JSON object of at most 64 KiB and 32 levels. It is merged into the profile of the contact, the data of the recipient over that of the request, and templates can show it.',
  type: 'object',
  additionalProperties: true,
  'x-object': ['profile'],
  examples: [{ first_name: 'Ada', order: { number: 1001 } }],
});
export type ProfileData = Static<typeof ProfileData>;

export const ContactReference = OneOf('contactKey', [EmailString, EmailAddress, ContactKey], {
  title: 'ContactReference',
  description: 'Who gets the message: an address, or the key of a contact.',
});

export const EmailMessageRecipient = ClosedObject(
  {
    contact_key: ContactReference,
    email_address: Type.Optional({
      ...EmailValue,
      description: 'The address to use instead of the one that `contact_key` gives.',
    } as typeof EmailValue),
    external_message_id: Type.Optional(
      Type.String({
        description: 'Your own id for this message, unique in your account for ever.',
        minLength: 1,
        maxLength: 128,
        pattern: '^[A-Za-z0-9._~-]*$',
        examples: ['order-1001-confirmation'],
      }),
    ),
    profile_data: Type.Optional(ProfileData),
    message: Type.Optional(EmailMessageDetails),
    attachments: Attachments('For this recipient only, in addition to those of the request.'),
  },
  { title: 'EmailMessageRecipient' },
);
export type EmailMessageRecipient = Static<typeof EmailMessageRecipient>;

export const EmailRecipient = OneOf('recipient', [EmailString, EmailAddress, ContactKey, EmailMessageRecipient], {
  title: 'EmailRecipient',
  description: 'One recipient, who gets one message.',
});
export type EmailRecipient = Static<typeof EmailRecipient>;

export const EmailRecipientList = Type.Array(EmailRecipient, {
  title: 'EmailRecipientList',
  description: '1 to 100 different recipients.',
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  'x-list': ['unique', 'externalIds'],
});

export const EmailRecipients = OneOf('recipients', [EmailRecipient, EmailRecipientList], {
  title: 'EmailRecipients',
  description: 'One recipient, or 1 to 100 different ones.',
});
export type EmailRecipients = Static<typeof EmailRecipients>;

/** Body of POST /v2/send/email. */
export const SendEmailRequest = ClosedObject(
  {
    campaign: CampaignReference,
    to: EmailRecipients,
    profile_data: Type.Optional(ProfileData),
    message: Type.Optional(EmailMessageDetails),
    attachments: Attachments('For every recipient.'),
  },
  {
    title: 'SendEmailRequest',
    description: 'A campaign and one or more recipients. Each recipient gets one message; all are accepted, or none.',
    examples: [
      { campaign: 'welcome', to: 'ada@example.com' },
      {
        campaign: 'welcome',
        to: [
          { email: 'ada@example.com', name: 'Ada Lovelace' },
          { contact_key: { customer_number: 'C-1001' }, external_message_id: 'order-1001' },
        ],
        profile_data: { first_name: 'Ada' },
      },
    ],
  },
);
export type SendEmailRequest = Static<typeof SendEmailRequest>;

import { Type, type Static } from '@sinclair/typebox';
import { EmailValue } from './address.schema';
import { AttachmentFileData } from './attachment.schema';
import { DETAILS, Subject } from './details.schema';
import { Closed, OneOf, Word } from './schema';

/** Seconds: a year. */
const LONGEST_VALID_FOR = 31_536_000;

const CampaignAttachment = OneOf('campaignAttachment', [AttachmentFileData], {
  description: 'Campaigns take base64 content only.',
});

/** Body of PUT /v2/campaigns/{slug}. */
export const CampaignLaunch = Closed(
  {
    name: Type.Optional(
      Type.String({ description: 'For people.', minLength: 1, maxLength: 1000, 'x-text': ['plain'] }),
    ),
    from: { ...EmailValue, description: 'Sender of every message.' } as typeof EmailValue,
    priority: Type.Optional(
      Word(['high', 'normal', 'bulk'], { description: 'Which messages go first; `normal` if omitted.' }),
    ),
    on_uncertain: Type.Optional(
      Word(['retry', 'hold'], {
        description:
          'What happens when the connection broke after the mail was handed over: `retry` (if omitted) may deliver twice, `hold` may deliver not at all.',
      }),
    ),
    on_missing: Type.Optional(
      Word(['blank', 'fail'], {
        description:
          'What happens where a template shows a value that the recipient lacks, or that is null: `blank` (if omitted) shows nothing, `fail` sends nothing and ends the message `failed`, with the name of the value. `{% if %}`, `{% assign %}` and the filter `default` may ask for what is not there.',
      }),
    ),
    unsubscribe: Type.Optional(
      Word(['one_click'], {
        description:
          'Every mail carries an unsubscribe link (RFC 8058), and templates can show it: `{{ message.unsubscribe_url }}`. Whoever used one gets no more mails of campaigns that have this; all others still come.',
      }),
    ),
    valid_for: Type.Optional(
      Type.Integer({
        description: 'Seconds from acceptance until a message that is not sent yet expires.',
        minimum: 1,
        maximum: LONGEST_VALID_FOR,
      }),
    ),
    ...DETAILS,
    subject: { ...Subject, minLength: 1 } as typeof Subject,
    attachments: Type.Optional(
      Type.Array(CampaignAttachment, { description: 'Sent with every message.', minItems: 1, maxItems: 10 }),
    ),
  },
  {
    title: 'CampaignLaunch',
    description: 'Content that every message of the campaign starts from. It needs a subject, and text, html or both.',
    'x-object': ['hasBody'],
    examples: [
      {
        from: { email: 'hello@example.com', name: 'Example' },
        subject: 'Welcome, {{ first_name }}',
        html: '<p>Hello {{ first_name }}</p>',
      },
    ],
  },
);
export type CampaignLaunch = Static<typeof CampaignLaunch>;

import { Type, type Static } from '@sinclair/typebox';
import { EmailValue } from './address.schema';
import { AttachmentFileData, ContentIdHeader, FileName } from './attachment.schema';
import { DETAILS, Subject } from './details.schema';
import { Closed, OneOf, Word } from './schema';

/** Seconds: a year. */
const LONGEST_VALID_FOR = 31_536_000;

/** A file as a campaign is answered with it: what is read can be written back. */
export const CampaignFileKept = Closed(
  {
    file_name: FileName,
    size: Type.Integer({ description: 'Bytes.', minimum: 0 }),
    content_type: Type.Optional(Type.String({ description: 'As answered; it follows from the name.' })),
    cid: Type.Optional(ContentIdHeader),
  },
  {
    title: 'CampaignFileKept',
    description: 'A file that the newest version has, as it is answered: it stays.',
    examples: [{ file_name: 'logo.gif', content_type: 'image/gif', size: 42, cid: 'logo' }],
  },
);
export type CampaignFileKept = Static<typeof CampaignFileKept>;

export const CampaignAttachment = OneOf('campaignAttachment', [AttachmentFileData, CampaignFileKept], {
  title: 'CampaignAttachment',
  description: 'Base64 content, or a file that the newest version has.',
});
export type CampaignAttachment = Static<typeof CampaignAttachment>;

/** What the service says of a campaign: it may stand in a launch, and says nothing there. */
const ANSWERED = {
  id: Type.Optional(Type.String({ description: 'As answered; passed over.' })),
  slug: Type.Optional(Type.String({ description: 'As answered; passed over: the path says it.' })),
  version: Type.Optional(Type.Integer({ description: 'As answered; passed over.' })),
  launched_at: Type.Optional(Type.String({ description: 'As answered; passed over.' })),
};

/** Body of PUT /v2/campaigns/{slug}. */
export const CampaignLaunch = Closed(
  {
    ...ANSWERED,
    name: Type.Optional(
      Type.Unsafe<string | null>({
        ...{ type: ['string', 'null'], description: 'For people; null is none.' },
        ...{ minLength: 1, maxLength: 1000, 'x-text': ['plain'] },
      }),
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
          'What happens where a template shows a value that the recipient lacks, or that is null: `blank` (if omitted) shows nothing, and an object as a whole as JSON; `fail` sends nothing for any of them and ends the message `failed`, with the name of the value. `{% if %}`, `{% assign %}` and the filter `default` may ask for what is not there.',
      }),
    ),
    unsubscribe: Type.Optional(
      Word(['one_click'], {
        description:
          'Every mail carries an unsubscribe link (RFC 8058), and templates can show it: `{{ message.unsubscribe_url }}`. Whoever used one gets no more mails of campaigns that have this; all others still come.',
      }),
    ),
    valid_for: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Seconds from acceptance until a message that is not sent yet expires; null is never.',
        minimum: 1,
        maximum: LONGEST_VALID_FOR,
      }),
    ),
    ...DETAILS,
    subject: { ...Subject, minLength: 1 } as typeof Subject,
    attachments: Type.Optional(
      Type.Array(CampaignAttachment, { description: 'Sent with every message.', maxItems: 10 }),
    ),
  },
  {
    title: 'CampaignLaunch',
    description:
      'Content that every message of the campaign starts from. It needs a subject, and text, html or both. These are templates; names and header values are none, and a `{{` or `{%` in one is refused.',
    'x-object': ['hasBody', 'noTemplates'],
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

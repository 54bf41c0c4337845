import { Type, type Static } from '@sinclair/typebox';
import { EmailValue } from './address.schema';
import { AttachmentFileData, AttachmentUrl, ContentIdHeader, FileName } from './attachment.schema';
import { DETAILS, Subject } from './details.schema';
import { ClosedObject, OneOf, StringEnum } from './schema';

/** Seconds; one year. */
const MAX_VALID_FOR_SECONDS = 31_536_000;

/** A file as `GET` of a campaign returns it. A launch accepts it, so that a campaign can be written back as it was read. */
export const CampaignFileKept = ClosedObject(
  {
    file_name: FileName,
    size: Type.Integer({ description: 'Bytes.', minimum: 0 }),
    content_type: Type.Optional(Type.String({ description: 'As returned by `GET`; it follows from the name.' })),
    cid: Type.Optional(ContentIdHeader),
  },
  {
    title: 'CampaignFileKept',
    description: 'A file of the newest version, as returned by `GET`: it is kept.',
    examples: [{ file_name: 'logo.gif', content_type: 'image/gif', size: 42, cid: 'logo' }],
  },
);
export type CampaignFileKept = Static<typeof CampaignFileKept>;

export const CampaignAttachment = OneOf('campaignAttachment', [AttachmentFileData, CampaignFileKept, AttachmentUrl], {
  title: 'CampaignAttachment',
  description: 'Base64 content, a file of the newest version, or an address from which the launch fetches the file.',
});
export type CampaignAttachment = Static<typeof CampaignAttachment>;

export const isKeptFile = (file: CampaignAttachment): file is CampaignFileKept => !('data' in file);
export const isUrlFile = (file: CampaignAttachment): file is AttachmentUrl =>
  'data' in file && file.attachment_type === 'url';

export const CampaignPriority = StringEnum(['high', 'normal', 'bulk'], {
  title: 'CampaignPriority',
  description: 'Which messages are sent first; `normal` if omitted.',
});

export const CampaignOnUncertain = StringEnum(['retry', 'hold'], {
  title: 'CampaignOnUncertain',
  description:
    'What happens if the connection breaks after the mail was handed over: `retry` (default) may deliver it twice, `hold` may not deliver it at all.',
});

export const CampaignOnMissing = StringEnum(['blank', 'fail'], {
  title: 'CampaignOnMissing',
  description:
    'What happens if a template shows a value that is missing or null: `blank` (default) shows nothing, and shows a whole object as JSON; `fail` ends the message `failed` in all these cases, with the name of the value. `{% if %}`, `{% assign %}` and the filter `default` may refer to missing values.',
});

export const CampaignUnsubscribe = StringEnum(['one_click'], {
  title: 'CampaignUnsubscribe',
  description:
    'Every mail has an unsubscribe link (RFC 8058), and templates can show it: `{{ message.unsubscribe_url }}`. A recipient who uses it gets no more mails of campaigns with this setting; all other mails are still sent.',
});

/** Properties that only answers need. A launch may have them, and ignores them. */
const ANSWER_FIELDS = {
  id: Type.Optional(Type.String({ description: 'As returned by `GET`; ignored.' })),
  slug: Type.Optional(
    Type.String({ description: 'As returned by `GET`; ignored, because the path names the campaign.' }),
  ),
  version: Type.Optional(Type.Integer({ description: 'As returned by `GET`; ignored.' })),
  launched_at: Type.Optional(Type.String({ description: 'As returned by `GET`; ignored.' })),
};

/** Body of PUT /v2/campaigns/{slug}. */
export const CampaignLaunch = ClosedObject(
  {
    ...ANSWER_FIELDS,
    name: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'A name for people to read; null means none.',
        minLength: 1,
        maxLength: 1000,
        'x-text': ['plain'],
      }),
    ),
    from: { ...EmailValue, description: 'Sender of every message.' } as typeof EmailValue,
    priority: Type.Optional(CampaignPriority),
    on_uncertain: Type.Optional(CampaignOnUncertain),
    on_missing: Type.Optional(CampaignOnMissing),
    unsubscribe: Type.Optional(CampaignUnsubscribe),
    valid_for: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Seconds from acceptance until a message that has not been sent expires; null means never.',
        minimum: 1,
        maximum: MAX_VALID_FOR_SECONDS,
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
      'The content that every message of the campaign starts from. It needs a subject, and text, html or both. These are templates. Names and header values are not, and a `{{` or `{%` in one is refused.',
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

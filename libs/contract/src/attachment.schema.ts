import { Type, type Static } from '@sinclair/typebox';
import { FILE_REF_PATTERN } from './patterns';
import { MAX_URL_LENGTH } from './rules/rules';
import { ClosedObject, PatternRecord, OneOf } from './schema';

const TYPE_DESCRIPTION = '`file`: base64 content in `data`; `url`: fetched from the https address in `data`.';

export const FileName = Type.String({
  title: 'FileName',
  description: 'Name shown to the recipient, without a path.',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^/\\\\\\r\\n]*$',
  'x-text': ['plain'],
  examples: ['invoice.pdf'],
});

export const ContentIdHeader = Type.String({
  title: 'ContentIdHeader',
  description: 'Inline content id; html refers to it as `cid:<value>`.',
  maxLength: 128,
  pattern: '^[A-Za-z0-9._~-]+$',
  examples: ['logo'],
});

export const AttachmentMetadata = PatternRecord('^(?=.{3,64}$)(?:x-|svc-)[A-Za-z0-9._-]+$', Type.Unknown(), {
  title: 'AttachmentMetadata',
  description: 'Experimental, non-contractual; keys may be ignored. Put no long-lived secrets here.',
  maxProperties: 32,
});
export type AttachmentMetadata = Static<typeof AttachmentMetadata>;

const OptionalFields = { cid: Type.Optional(ContentIdHeader), metadata: Type.Optional(AttachmentMetadata) };

export const AttachmentFileData = ClosedObject(
  {
    attachment_type: Type.Literal('file', { description: TYPE_DESCRIPTION, type: 'string' }),
    file_name: FileName,
    data: Type.String({
      description: 'Content in base64 (RFC 4648, section 4: standard alphabet, padded, no white space).',
      contentEncoding: 'base64',
      'x-text': ['base64'],
    }),
    ...OptionalFields,
  },
  {
    title: 'AttachmentFileData',
    description: 'A file as base64 in the request.',
    examples: [{ attachment_type: 'file', file_name: 'hello.txt', data: 'SGVsbG8=' }],
  },
);
export type AttachmentFileData = Static<typeof AttachmentFileData>;

export const AttachmentFileRef = ClosedObject(
  {
    file_ref: Type.String({
      description: 'Name of the form part that carries the bytes (multipart/form-data).',
      format: 'uuid',
      pattern: FILE_REF_PATTERN,
      examples: ['6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11'],
    }),
    attachment_type: Type.Optional(
      Type.Literal('file', { description: 'Optional beside `file_ref`.', type: 'string' }),
    ),
    file_name: Type.Optional({
      ...FileName,
      description: 'If omitted, the filename of the part is used.',
    } as typeof FileName),
    ...OptionalFields,
  },
  { title: 'AttachmentFileRef', description: 'A file in another part of the multipart request.' },
);
export type AttachmentFileRef = Static<typeof AttachmentFileRef>;

export const AttachmentUrl = ClosedObject(
  {
    attachment_type: Type.Literal('url', { description: TYPE_DESCRIPTION, type: 'string' }),
    file_name: FileName,
    data: Type.String({
      description: 'Address from which the content is fetched before the request is accepted.',
      format: 'uri',
      minLength: 20,
      maxLength: MAX_URL_LENGTH,
      pattern: '^https://',
      'x-text': ['httpsUri'],
      examples: ['https://example.com/files/invoice.pdf'],
    }),
    ...OptionalFields,
  },
  { title: 'AttachmentUrl', description: 'A file fetched from an https address.' },
);
export type AttachmentUrl = Static<typeof AttachmentUrl>;

export const Attachment = OneOf('attachment', [AttachmentFileData, AttachmentFileRef, AttachmentUrl], {
  title: 'Attachment',
  description: 'All attachments of one message together: at most 10 MiB, decoded.',
});
export type Attachment = Static<typeof Attachment>;

export const Attachments = (description: string) =>
  Type.Optional(Type.Array(Attachment, { description, minItems: 1, maxItems: 10 }));

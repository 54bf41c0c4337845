import { Type, type TSchema } from '@sinclair/typebox';
import { EmailMessageResult, SendEmailAck } from './ack.schema';
import { ContactKey, EmailAddress, EmailString, EmailValue } from './address.schema';
import {
  Attachment,
  AttachmentFileData,
  AttachmentFileRef,
  AttachmentMetadata,
  AttachmentUrl,
  ContentIdHeader,
  FileName,
} from './attachment.schema';
import { CampaignLaunch } from './campaign.schema';
import { EmailMessageDetails, Headers } from './details.schema';
import { FaultSchema, ProblemSchema } from './problem.schema';
import {
  CampaignId,
  CampaignReference,
  CampaignSlug,
  EmailMessageRecipient,
  EmailRecipient,
  EmailRecipients,
  ProfileData,
  SendEmailRequest,
} from './send.schema';

const SendEmailRequestMultipart = Type.Object(
  { json: SendEmailRequest },
  {
    title: 'SendEmailRequestMultipart',
    description:
      'The request as part `json`; every other part is a file. One that a `file_ref` names is attached there, any other to each message.',
    additionalProperties: Type.String({ contentMediaType: 'application/octet-stream' }),
  },
);

/** Every schema with a name of its own; it is the `title` too. */
const NAMED = [
  SendEmailRequest,
  SendEmailRequestMultipart,
  SendEmailAck,
  EmailMessageResult,
  CampaignReference,
  CampaignSlug,
  CampaignId,
  EmailRecipients,
  EmailRecipient,
  EmailMessageRecipient,
  ContactKey,
  EmailValue,
  EmailAddress,
  EmailString,
  EmailMessageDetails,
  Headers,
  ProfileData,
  Attachment,
  AttachmentFileData,
  AttachmentFileRef,
  AttachmentUrl,
  AttachmentMetadata,
  FileName,
  ContentIdHeader,
  CampaignLaunch,
  ProblemSchema,
  FaultSchema,
] as TSchema[];

const names = new Map(NAMED.map((schema) => [schema.title!, schema]));

type Json = Record<string, unknown>;

/** Stands for a named schema where it is used; a description of that use stays. */
function reference(schema: Json): Json {
  const { title, description } = schema;
  const $ref = `#/components/schemas/${String(title)}`;
  return description === names.get(String(title))?.description ? { $ref } : { $ref, description };
}

function documented(value: unknown, isRoot: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => documented(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Json;
  if (!isRoot && names.has(String(schema.title))) return reference(schema);
  const copy: Json = {};
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword.startsWith('x-')) continue;
    copy[keyword] = keyword === 'examples' ? inner : documented(inner, false);
  }
  return copy;
}

/**
 * Schemas of the send contract for `components.schemas` of an OpenAPI 3.1 document (JSON Schema 2020-12), each
 * referring to the others by name. Without the `x-` keywords they say less than the verdict checks; their descriptions
 * tell the rest.
 */
export const components = Object.fromEntries(
  [...names].map(([name, schema]) => [name, documented(schema, true)]),
) as Record<string, TSchema>;

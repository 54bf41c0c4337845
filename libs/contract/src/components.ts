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
import {
  CampaignAttachment,
  CampaignFileKept,
  CampaignLaunch,
  CampaignOnMissing,
  CampaignOnUncertain,
  CampaignPriority,
  CampaignUnsubscribe,
} from './campaign.schema';
import { EmailMessageDetails, EmailHeaders } from './details.schema';
import { DomainSetup, DomainSign } from './domain.schema';
import { FaultCode, FaultSchema, ProblemCode, ProblemSchema } from './problem.schema';
import {
  CampaignId,
  CampaignReference,
  CampaignSlug,
  ContactReference,
  EmailMessageRecipient,
  EmailRecipient,
  EmailRecipientList,
  EmailRecipients,
  IdReference,
  ProfileData,
  SendEmailRequest,
  SlugReference,
} from './send.schema';
import type { Json } from './json/json.object';
import { KeyName } from './key.schema';
import { SuppressionCause, SuppressionCauseReason } from './suppression.schema';

const SendEmailRequestMultipart = Type.Object(
  { json: SendEmailRequest },
  {
    title: 'SendEmailRequestMultipart',
    description:
      'The request in part `json`; every other part is a file. A file that a `file_ref` names is attached there, any other to every message.',
    // Every JavaScript object inherits members of these names, which the form parser would overwrite.
    propertyNames: { minLength: 1, maxLength: 200, not: { enum: Object.getOwnPropertyNames(Object.prototype) } },
    // No `type`, as OpenAPI 3.1 describes bytes: with `string`, clients would type every part as text, and `json` is an object.
    additionalProperties: Type.Unsafe<unknown>({ contentMediaType: 'application/octet-stream' }),
  },
);

/**
 * The characters that `plain` text must not contain (unicode.ts), as all engines of regular expressions write them: PCRE
 * and RE2 do not know `\u`, and without its flag PCRE compares bytes. The others are in REFUSED_BY_RULE.
 */
const CONTROL_CHARACTERS = '\\x00-\\x1f\\x7f';

/** Rules that a pattern can express. The descriptions state the others. */
const PATTERN_BY_RULE: Record<string, string> = {
  phone: '^\\+[1-9][0-9]{1,14}$',
  // Without groups that repeat: for a file of megabytes, PCRE would run out of stack.
  base64: '^[A-Za-z0-9+/]*={0,2}$',
  plain: `^[^${CONTROL_CHARACTERS}]*$`,
};

/** What texts that match the pattern may still not match. Validators read it; client generators, which copy patterns, do not. */
const REFUSED_BY_RULE: Record<string, string> = {
  // A length that is no multiple of four. Without {4}: V8 would run out of stack at a few megabytes.
  base64: '^(?:....)*.{1,3}$',
  plain: '[\\u0085\\u2028\\u2029]',
};

/** `not` would say the same, but some generators make a type of it. */
const refused = (schema: Json): Json => ({ if: schema, then: { not: {} } });

/** Adds control characters to those that a pattern refuses. */
const withoutControls = (pattern: string): string =>
  pattern.replace('\\r\\n', '').replace('[^', `[^${CONTROL_CHARACTERS}`);

/** The pattern of the schema's rule. For `plain`, a pattern of the schema's own stays and also forbids control characters. */
function patternKeywords(schema: Json): Json {
  const [rule = ''] = (schema['x-text'] ?? []) as string[];
  const rulePattern = PATTERN_BY_RULE[rule];
  if (rulePattern === undefined) return {};
  const { pattern: own } = schema as { pattern?: string };
  const pattern = rule === 'plain' && own !== undefined ? withoutControls(own) : rulePattern;
  const other = REFUSED_BY_RULE[rule];
  return { pattern, ...(other !== undefined && refused({ type: 'string', pattern: other })) };
}

/** Rules of whole objects in JSON Schema. Not as `anyOf`: generators would make a type of each form, without the other properties. */
const KEYWORDS_BY_OBJECT_RULE: Record<string, Json> = {
  hasBody: refused({ properties: { text: { maxLength: 0 }, html: { maxLength: 0 } } }),
};

function objectKeywords(schema: Json): Json {
  const [rule] = (schema['x-object'] ?? []) as string[];
  return (rule !== undefined && KEYWORDS_BY_OBJECT_RULE[rule]) || {};
}

/** Every schema that has a name; the name is its `title`. */
const NAMED_SCHEMAS = [
  SendEmailRequest,
  SendEmailRequestMultipart,
  SendEmailAck,
  EmailMessageResult,
  CampaignReference,
  IdReference,
  SlugReference,
  CampaignSlug,
  CampaignId,
  EmailRecipients,
  EmailRecipientList,
  EmailRecipient,
  EmailMessageRecipient,
  ContactReference,
  ContactKey,
  EmailValue,
  EmailAddress,
  EmailString,
  EmailMessageDetails,
  EmailHeaders,
  ProfileData,
  Attachment,
  AttachmentFileData,
  AttachmentFileRef,
  AttachmentUrl,
  AttachmentMetadata,
  FileName,
  ContentIdHeader,
  CampaignLaunch,
  CampaignPriority,
  CampaignOnUncertain,
  CampaignOnMissing,
  CampaignUnsubscribe,
  CampaignAttachment,
  CampaignFileKept,
  DomainSetup,
  DomainSign,
  SuppressionCause,
  SuppressionCauseReason,
  KeyName,
  ProblemSchema,
  ProblemCode,
  FaultSchema,
  FaultCode,
] as TSchema[];

const schemaByName = new Map(NAMED_SCHEMAS.map((schema) => [schema.title!, schema]));

/** Replaces a named schema where it is used. A description of that use is kept. */
function reference(schema: Json): Json {
  const { title, description } = schema;
  const $ref = `#/components/schemas/${String(title)}`;
  return description === schemaByName.get(String(title))?.description ? { $ref } : { $ref, description };
}

/** A union of one form is that form. */
function onlyForm(schema: Json): Json {
  const { anyOf } = schema as { anyOf?: Json[] };
  return anyOf?.length === 1 ? { ...anyOf[0]!, description: schema.description } : schema;
}

/**
 * Free property names as client generators understand them: most ignore patternProperties. Where there are named optional
 * properties too, additionalProperties has no type, because in TypeScript that type would have to fit them all. It is not
 * a mere `true`, with which clients in Python and Java would have no place for them.
 */
function propertyNameKeywords({ properties, patternProperties }: Json): Json {
  if (patternProperties === undefined) return {};
  const [[pattern, value]] = Object.entries(patternProperties as Json) as [[string, Json]];
  if (!properties) return { propertyNames: { pattern }, additionalProperties: documentedSchema(value, false) };
  const propertyNames = { anyOf: [{ enum: Object.keys(properties) }, { pattern }] };
  const additionalProperties = { description: value.description };
  return { propertyNames, patternProperties: documentedSchema(patternProperties, false), additionalProperties };
}

function documentedSchema(value: unknown, isRoot: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => documentedSchema(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const schema = onlyForm(value as Json);
  if (!isRoot && schemaByName.has(String(schema.title))) return reference(schema);
  const copy: Json = {};
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || keyword === 'patternProperties') continue;
    copy[keyword] = keyword === 'examples' ? inner : documentedSchema(inner, false);
  }
  return { ...copy, ...propertyNameKeywords(schema), ...patternKeywords(schema), ...objectKeywords(schema) };
}

/**
 * Schemas of the send contract for `components.schemas` of an OpenAPI 3.1 document (JSON Schema 2020-12), each
 * referring to the others by name. Patterns replace the `x-` keywords where possible. They cover less than the verdict
 * checks; the descriptions state the rest.
 */
export const contractSchemas = Object.fromEntries(
  [...schemaByName].map(([name, schema]) => [name, documentedSchema(schema, true)]),
) as Record<string, TSchema>;

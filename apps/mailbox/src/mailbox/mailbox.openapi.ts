import type { ApiQueryOptions, ApiResponseOptions } from '@nestjs/swagger';
import { MAX_MAILS } from './mailbox.store';

/** What the routes of the mailbox read and answer, for the OpenAPI document. */

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const textOrNull = { type: ['string', 'null'] };
const list = (items: object) => ({ type: 'array', items });

/** Its title is its name among the schemas of the document. */
function object(title: string, properties: Record<string, object>, optional: string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { title, type: 'object', properties, required };
}

/** A response with OpenAPI 3.1 schemas; the types of the decorators know only 3.0. */
function answer(description: string, content: Record<string, object>): ApiResponseOptions {
  const media = Object.entries(content).map(([type, schema]) => [type, { schema }]);
  return { status: 200, description, content: Object.fromEntries(media) } as ApiResponseOptions;
}

/** A parameter that is told by its presence, or has one value. */
const choice = (name: string, description: string): ApiQueryOptions => ({
  name,
  required: false,
  description,
  schema: { type: 'string' },
});

export const VIEW_PARAMETER = choice('view', 'Given with any value: as plain text, to look at, instead of a download');
export const REMOTE_PARAMETER = choice('remote', '`1`: remote images load');
export const LIMIT_PARAMETER: ApiQueryOptions = {
  name: 'limit',
  required: false,
  description: 'The newest mails only; all, if absent',
  schema: { type: 'integer', minimum: 1, maximum: MAX_MAILS },
};

const namedAddress = object('MailAddress', { email: text, name: text }, ['name']);
const received = { received_at: { ...text, format: 'date-time' }, size: { ...count, description: 'Bytes' } };

const summary = object('MailSummary', {
  id: text,
  from: text,
  from_name: text,
  to: { ...list(text), description: 'The recipients in the envelope, hidden copies included' },
  subject: text,
  ...received,
});

const file = object('MailFile', {
  index: count,
  file_name: text,
  content_type: text,
  size: count,
  cid: textOrNull,
});

const mail = object('Mail', {
  id: text,
  from: { oneOf: [namedAddress, { type: 'null' }] },
  to: list(namedAddress),
  cc: list(namedAddress),
  reply_to: list(namedAddress),
  subject: text,
  date: { ...textOrNull, description: 'ISO 8601, or as written in the mail if that is not a date' },
  headers: list(object('MailHeader', { name: text, value: text })),
  text: textOrNull,
  html: textOrNull,
  attachments: list(file),
  ...received,
  envelope: object('MailEnvelope', { from: text, to: list(text) }),
});

const bytes = (description: string) => ({ type: 'string', format: 'binary', description });

export const MAIL_LIST = answer('The mails, newest first', {
  'application/json': object('MailList', { data: list(summary) }),
});
export const ONE_MAIL = answer('The mail', { 'application/json': mail });
export const RAW_MAIL = answer('The mail as received', {
  'message/rfc822': bytes('The bytes as received'),
  'text/plain': text,
});
export const MAIL_HTML = answer('The HTML, for display in a frame', { 'text/html': text });
export const MAIL_FILE = answer('The content of the attachment', { '*/*': bytes('The bytes, decoded') });
export const REMOVED: ApiResponseOptions = { status: 204, description: 'Removed' };

import { childPointer, quoted } from '../fault.wording';
import type { Finding, Rule } from './rules';
import { profile } from './rules.profile';

/** Names and values of the `headers` of one message together, in UTF-8 bytes: they are part of an event and of each mail. */
const MAX_HEADERS_BYTES = 64 * 1024;

/** Beyond this, how large they are is not counted: there may be hundreds of thousands. */
const MAX_COUNTED_BYTES = 2 * MAX_HEADERS_BYTES;

function headers(given: object): Finding | undefined {
  let bytes = 0;
  const fields = given as Record<string, unknown>;
  for (const name in fields) {
    const value = fields[name];
    bytes += name.length + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
    if (bytes > MAX_COUNTED_BYTES) break;
  }
  if (bytes <= MAX_HEADERS_BYTES) return undefined;
  const found = bytes > MAX_COUNTED_BYTES ? `more than ${MAX_COUNTED_BYTES}` : String(bytes);
  return {
    code: 'headers_too_large',
    detail: `found ${found} bytes of names and values; at most ${MAX_HEADERS_BYTES}`,
  };
}

/** A campaign needs text, html or both: otherwise there is nothing to send. */
function hasBody(campaign: object): Finding | undefined {
  const { text, html } = campaign as { text?: unknown; html?: unknown };
  const given = (body: unknown) => body !== undefined && body !== '';
  if (given(text) || given(html)) return undefined;
  return {
    code: 'missing_property',
    at: '/html',
    detail: 'a campaign needs text, html or both, and they are missing or empty',
  };
}

const TEMPLATE_TAG = /\{\{|\{%/;
const perCallAdvice = (field: string) => `give it with each call, in message.${field}`;

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const displayNameOf = (address: unknown) => member(address, 'name');

/** Fields that are sent as they are written, in every mail of the campaign: a template there would be seen in the mail. */
function noTemplates(campaign: object): Finding[] {
  const { from, reply_to, cc, bcc, in_reply_to, attachments, headers: fields } = campaign as Record<string, unknown>;
  const findings: Finding[] = [];
  const refuseTemplate = (text: unknown, at: string, advice: string) => {
    if (typeof text !== 'string' || !TEMPLATE_TAG.test(text)) return;
    const detail = `${quoted(text)} would be sent as it is: only subject, text and html are templates; ${advice}`;
    findings.push({ code: 'template_not_read', at, detail });
  };
  refuseTemplate(displayNameOf(from), '/from/name', 'the sender has the same name in every mail');
  refuseTemplate(displayNameOf(reply_to), '/reply_to/name', perCallAdvice('reply_to'));
  for (const [field, copies] of Object.entries({ cc, bcc })) {
    if (!Array.isArray(copies)) continue;
    copies.forEach((copy, n) => refuseTemplate(displayNameOf(copy), `/${field}/${n}/name`, perCallAdvice(field)));
  }
  refuseTemplate(in_reply_to, '/in_reply_to', perCallAdvice('in_reply_to'));
  if (Array.isArray(attachments)) {
    const advice = 'attach a file whose name differs in each call, in its attachments';
    attachments.forEach((file, n) => refuseTemplate(member(file, 'file_name'), `/attachments/${n}/file_name`, advice));
  }
  if (typeof fields === 'object' && fields !== null) {
    for (const [name, value] of Object.entries(fields))
      refuseTemplate(value, childPointer('/headers', name), perCallAdvice('headers'));
  }
  return findings;
}

/** Rules of objects that JSON Schema cannot express. The keyword `x-object` names them. */
export const OBJECT_RULES = { profile, headers, hasBody, noTemplates } satisfies Record<string, Rule<object>>;

import type { Finding, Rule } from './rules';
import { profile } from './rules.profile';

/** Names and values of the `headers` of one message together, in UTF-8 bytes: they ride in an event and in each mail. */
const MAX_HEADERS_BYTES = 64 * 1024;

function headers(given: object): Finding | undefined {
  let bytes = 0;
  let units = 0;
  const fields = given as Record<string, unknown>;
  for (const name in fields) {
    const value = fields[name];
    units += name.length + (typeof value === 'string' ? value.length : 0);
  }
  if (units * 3 <= MAX_HEADERS_BYTES) return undefined;
  for (const name in fields) {
    const value = fields[name];
    bytes += name.length + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  if (bytes <= MAX_HEADERS_BYTES) return undefined;
  return {
    code: 'headers_too_large',
    detail: `found ${bytes} bytes of names and values; at most ${MAX_HEADERS_BYTES}`,
  };
}

/** A campaign has text, html or both: without them there is nothing to send. */
function hasBody(campaign: object): Finding | undefined {
  const { text, html } = campaign as { text?: unknown; html?: unknown };
  const given = (body: unknown) => body !== undefined && body !== '';
  if (given(text) || given(html)) return undefined;
  return { code: 'missing_property', at: '/html', detail: 'a campaign needs html, text or both, and they are empty' };
}

/** Rules of objects that JSON Schema has no words for: the keyword `x-object` names them. */
export const OBJECT_RULES = { profile, headers, hasBody } satisfies Record<string, Rule<object>>;

import { urlIn } from '@lettermill/web';
import type { FaultCode } from '@lettermill/problems';
import { base64Fault, isBase64 } from '../base64';
import { addressFault } from '../mailbox/mailbox';
import { quoted } from '../fault.wording';
import { plainFault, unicodeFault } from '../unicode';

/** One broken rule of a value; `at` is the JSON Pointer from that value to the fault. */
export interface Finding {
  code: FaultCode;
  detail: string;
  at?: string;
}

/** Returns undefined for a value that keeps the rule. That case must be fast: the verdict calls rules for every value. */
export type Rule<T> = (value: T) => Finding | Finding[] | undefined;

/** Longer addresses are refused unread: to parse millions of characters takes seconds. */
export const MAX_URL_LENGTH = 2048;

/** Limit of each of the text and the html of a mail, in UTF-8 bytes (docs/send.md 9). */
export const MAX_BODY_TEXT_BYTES = 1024 * 1024;

function phone(text: string): Finding | undefined {
  if (/^\+[1-9][0-9]{1,14}$/.test(text)) return undefined;
  return { code: 'invalid_phone', detail: `${quoted(text)}: expected + and 2 to 15 digits, as in +31612345678` };
}

/** Advice for what programs commonly write instead of plain base64. */
function base64Remedy(text: string, found: string): string {
  if (/\s/.test(found)) return '; remove white space';
  if (text.startsWith('data:')) return '; of a data: URL, give only what follows the comma';
  return /[-_]/.test(found) ? '; use + and / instead of - and _' : '';
}

function base64(text: string): Finding | undefined {
  if (isBase64(text)) return undefined;
  const fault = base64Fault(text);
  const detail =
    'length' in fault
      ? `the length of base64 is a multiple of 4, found ${fault.length}; is the padding missing, or was it cut?`
      : `${quoted(fault.found)} at offset ${fault.position} is not in the base64 alphabet${base64Remedy(text, fault.found)}`;
  return { code: 'invalid_base64', detail };
}

/** Anything but the characters of RFC 3986 2, and a percent sign that no two hexadecimal digits follow. */
const NOT_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/;

function httpsUri(text: string): Finding | undefined {
  if (!text.startsWith('https://')) return { code: 'bad_format', detail: `${quoted(text)} must start with https://` };
  const foreign = NOT_URI.exec(text)?.[0];
  if (foreign !== undefined) {
    return { code: 'bad_format', detail: `${quoted(foreign)} in ${quoted(text)} must be percent-encoded` };
  }
  if (text.length > MAX_URL_LENGTH) return undefined;
  if (/^https:\/\/[^/?#]/.test(text) && urlIn(text)) return undefined;
  return { code: 'bad_format', detail: `${quoted(text)} is not a URL with a host` };
}

function mailBody(text: string): Finding | undefined {
  // A UTF-16 unit takes at most three bytes of UTF-8: short texts need not be counted.
  if (text.length * 3 > MAX_BODY_TEXT_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_BODY_TEXT_BYTES) {
      return { code: 'body_too_large_for_mail', detail: `found ${bytes} bytes; at most ${MAX_BODY_TEXT_BYTES}` };
    }
  }
  return unicodeFault(text);
}

/** Rules of texts that JSON Schema cannot express. The keyword `x-text` names them. */
export const TEXT_RULES = {
  address: addressFault,
  plain: plainFault,
  phone,
  base64,
  httpsUri,
  mailBody,
} satisfies Record<string, Rule<string>>;

import { domainToASCII } from 'node:url';
import { domainFault } from './mailbox.domain';
import { localFault } from './mailbox.local';
import { quoted } from '../fault.wording';
import type { Finding } from '../rules/rules';
import { plainFault } from '../unicode';

/** Octets of an address on the wire (RFC 5321 4.5.3.1.3: a path may have 256, including its angle brackets). */
const MAX_ADDRESS_OCTETS = 254;

const NON_ASCII = /[^\u0000-\u007f]/;
const WITH_NAME = /^[^<>]*<[^<>]*>$/;

/** Position of the `@` that ends the local part; -1 if there is none. An `@` within quotes does not count. */
function atSign(text: string): number {
  if (text[0] !== '"') return text.indexOf('@');
  for (let i = 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return text[i + 1] === '@' ? i + 1 : -1;
  }
  return -1;
}

function withoutAt(text: string): string {
  if (text === '') return 'it is empty';
  if (text[0] === '"') return 'the quoted part before @ must end with a quote, and @ must follow it';
  return 'it has no @';
}

function invalid(text: string, why: string): Finding {
  const hint = WITH_NAME.test(text) ? '; give only the address here, and the display name in name' : '';
  return { code: 'invalid_email', detail: `${quoted(text)}: ${why}${hint}` };
}

/**
 * What is wrong with an address (docs/send.md 6); undefined if it is a Mailbox of RFC 5321, with UTF-8 as RFC 6531 allows it: dot-atom
 * or quoted local part, domain of two labels or more, no comments, folding, literals or obsolete forms (RFC 5322 4.4). Takes linear
 * time, and refuses anything longer than the longest legal address unread.
 */
export function thoroughFault(text: string): Finding | undefined {
  const fault = plainFault(text);
  if (fault) return fault;
  const tooLong = `it is longer than ${MAX_ADDRESS_OCTETS} octets`;
  if (text.length > MAX_ADDRESS_OCTETS) return invalid(text, tooLong);
  const at = atSign(text);
  if (at < 0) return invalid(text, withoutAt(text));
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const wrong = localFault(local) ?? domainFault(domain);
  if (wrong !== undefined) return invalid(text, wrong);
  // The limit applies to the form on the wire.
  const ascii = NON_ASCII.test(domain) ? domainToASCII(domain) : domain;
  return Buffer.byteLength(local) + 1 + ascii.length > MAX_ADDRESS_OCTETS ? invalid(text, tooLong) : undefined;
}

/** Matches most addresses at once. No text can match it in two ways, so it takes linear time. */
const ORDINARY = /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\.)+[A-Za-z]+$/;
/** Up to this length no part of an ordinary address can be too long. */
const MAX_ORDINARY_LENGTH = 64;

/** The same result as `thoroughFault`, faster. */
export function addressFault(text: string): Finding | undefined {
  return text.length <= MAX_ORDINARY_LENGTH && ORDINARY.test(text) ? undefined : thoroughFault(text);
}

import { domainToASCII } from 'node:url';

const ASCII = /^[\u0000-\u007f]*$/;

/**
 * An address as it is matched (docs/send.md 7): one text for all spellings of a mailbox, whatever their case, with the
 * domain as A-labels. A text that is not an address is only lower-cased.
 */
export function matchedEmail(email: string): string {
  if (ASCII.test(email)) return email.toLowerCase();
  const at = email.lastIndexOf('@');
  const domain = at < 0 ? '' : domainToASCII(email.slice(at + 1));
  if (domain === '') return email.normalize('NFC').toLowerCase();
  return `${email.slice(0, at).normalize('NFC').toLowerCase()}@${domain}`;
}

/** The addresses, each mailbox once, as it was spelt first. */
export function distinctAddresses(addresses: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const matched = matchedEmail(address);
    if (!seen.has(matched)) seen.set(matched, address);
  }
  return [...seen.values()];
}

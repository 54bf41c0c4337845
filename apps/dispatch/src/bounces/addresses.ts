import { matchedEmail } from '@lettermill/events';

/** Where addresses stand in a text. A quoted local part may hold blanks; everything is bounded. */
const ADDRESS =
  /(?:"(?:[^"\\\s@]|[ ]){1,64}"|[^\s<>()[\]{},;:"'`|\\@=]{1,64}(?:=[^\s<>()[\]{},;:"'`|\\@=]{1,64})?)@(?:[\p{L}\p{N}_-]{1,63}\.){1,10}[\p{L}\p{N}-]{1,63}/gu;

export interface FoundAddress {
  address: string;
  /** Its first and the next character after it, in the text. */
  from: number;
  to: number;
}

export function addressesIn(text: string): FoundAddress[] {
  return [...text.matchAll(ADDRESS)].map(({ 0: found, index }) => {
    const lead = /^(?:mailto:|[*.•·-]+(?=[\p{L}\p{N}"]))/iu.exec(found)?.[0].length ?? 0;
    return { address: found.slice(lead), from: index + lead, to: index + found.length };
  });
}

/** The first address of a text. */
export function addressIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : addressesIn(text)[0]?.address;
}

/** The address of a DSN field such as `rfc822; <ada@example.com>`; undefined for X.400 names, local names and the like. */
export function typedAddress(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const typed = /^\s*([a-z0-9-]{1,40})\s*;\s*(.*)$/is.exec(value);
  const text = (typed?.[2] ?? value).trim();
  const bracketed = /<([^<>]{3,320})>/.exec(text)?.[1] ?? text;
  return addressIn(xtext(bracketed));
}

/** `+2B` and the like, as RFC 3461 writes them in an original recipient. */
function xtext(text: string): string {
  return text.replace(/\+(2B|3D|40)(?=[^@]{0,100}@)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

export const sameAddress = (one: string, other: string): boolean => matchedEmail(one) === matchedEmail(other);

export function distinctAddresses(addresses: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const matched = matchedEmail(address);
    if (!seen.has(matched)) seen.set(matched, address);
  }
  return [...seen.values()];
}

import { matchedEmail } from '@lettermill/events';

/** A character of an address: anything except what separates it from the words around it, East Asian punctuation included. */
const ADDRESS_CHARACTER = String.raw`[^\s<>()[\]{},;:"'\x60|\\@=（）＜＞：；，、。「」『』【】《》\ufffd]`;
/** An apostrophe may stand within a name. */
const ATOM = String.raw`(?:${ADDRESS_CHARACTER}|(?<=\p{L})'(?=\p{L})){1,64}`;
/** An address in a text. A quoted local part may contain spaces; every part is bounded in length, and begins where a word does. */
const ADDRESS = new RegExp(
  String.raw`(?:"(?:[^"\\\s@]|[ ]){1,64}"|(?<!${ADDRESS_CHARACTER})${ATOM}(?:=${ATOM})?)@(?:[\p{L}\p{N}_-]{1,63}\.){1,10}[\p{L}\p{N}-]{1,63}`,
  'gu',
);
const PREFIX =
  /^(?:mailto:|(?:smtp|rfc-?822)=|(?:4[25]\d|5[25]\d)-(?=\p{L})|[*.•·-]+(?=[\p{L}\p{N}"])|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+(?=[a-z0-9]))/iu;
/** Languages without spaces continue right after the address. */
const SUFFIX = /(?<=\.[a-z]{2,24})[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/iu;

export interface FoundAddress {
  address: string;
  /** Positions in the text of its first character and of the one after its last. */
  from: number;
  to: number;
}

export function addressesIn(text: string): FoundAddress[] {
  if (!text.includes('@')) return [];
  return [...text.matchAll(ADDRESS)].map(({ 0: found, index }) => {
    const prefixLength = PREFIX.exec(found)?.[0].length ?? 0;
    const address = found.slice(prefixLength).replace(SUFFIX, '');
    return { address, from: index + prefixLength, to: index + prefixLength + address.length };
  });
}

export function allAddresses(texts: readonly string[]): string[] {
  return texts.flatMap((text) => addressesIn(text).map(({ address }) => address));
}

/** The first address of a text. */
export function addressIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : addressesIn(text)[0]?.address;
}

/** The address of a DSN field such as `rfc822; <ada@example.com>`; undefined for X.400 names, local names and the like. */
export function typedAddress(value: string | undefined): string | undefined {
  return value === undefined ? undefined : addressIn(typedText(value));
}

/** An address whose domain is a single label, a literal (RFC 5321 section 4.1.3), or no domain at all, which is why it was refused. */
const LOCAL_DOMAIN = /^[^\s@<>"(),:;[\]\\]{1,64}@(?:[^\s@<>"(),:;[\]\\]{1,255}|\[[a-z0-9:.]{3,60}\])$/i;

/** The address of a DSN field whose domain is known only within a network, or nowhere. */
export function localAddress(value: string | undefined): string | undefined {
  return value === undefined ? undefined : LOCAL_DOMAIN.exec(typedText(value))?.[0];
}

function typedText(value: string): string {
  const typed = /^\s*([a-z0-9-]{1,40})\s*;\s*(.*)$/is.exec(value);
  const text = (typed?.[2] ?? value).trim();
  return decodeXtext(decodeUnicode(/<([^<>]{3,320})>/.exec(text)?.[1] ?? text));
}

/** Decodes `+2B` and the like, as RFC 3461 writes them in an original recipient. */
function decodeXtext(text: string): string {
  return text.replace(/\+(2B|3D|40)(?=[^@]{0,100}@)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Decodes `\x{F6}` and the like: RFC 6533 (section 3) writes other characters so where only ASCII is allowed. */
function decodeUnicode(text: string): string {
  return text.replace(/\\x\{((?:10|0?[1-9A-F])?[0-9A-F]{1,4})\}/gi, (spelt, hex: string) => {
    const character = String.fromCodePoint(parseInt(hex, 16));
    return /\p{Surrogate}/u.test(character) ? spelt : character;
  });
}

export const sameAddress = (one: string, other: string): boolean => matchedEmail(one) === matchedEmail(other);

/** Returns a test for whether an address is among these, however it is spelt; each of these is normalised only once. */
export function addressMatcher(addresses: readonly string[]): (address: string) => boolean {
  const known = new Set(addresses.map(matchedEmail));
  return (address) => known.has(matchedEmail(address));
}

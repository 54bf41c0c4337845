/** Attachments of one message in all (contract, docs/send.md 11): 10 MiB, decoded. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

/** Bytes that base64 text stands for, by arithmetic. Says nothing of whether it is base64: see `isBase64`. */
export function decodedSize(base64: string): number {
  let end = base64.length;
  if (end > 0 && base64[end - 1] === '=') end -= base64[end - 2] === '=' ? 2 : 1;
  return Math.floor((end * 3) / 4);
}

/**
 * Whether it is base64 of RFC 4648 4: standard alphabet, padded, no white space, no line breaks. Node's decoder skips
 * what it doesn't know, so any foreign character makes its result shorter; only the URL-safe letters it takes as its
 * own, and of characters beyond Latin-1 it looks at the lower byte. That is several times faster than a look at each.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (text.includes('-') || text.includes('_') || Buffer.byteLength(text) !== text.length) return false;
  return Buffer.from(text, 'base64').length === decodedSize(text);
}

const FOREIGN = /[^A-Za-z0-9+/=]/;

/** What keeps the text from being base64, for a person: a line break behind the padding, not the padding before it. */
export function base64Fault(text: string): { position: number; found: string } | { length: number } {
  const foreign = text.search(FOREIGN);
  const position = foreign < 0 ? text.replace(/={1,2}$/, '').indexOf('=') : foreign;
  return position < 0 ? { length: text.length } : { position, found: text[position]! };
}

/** Limit of all attachments of one message together (contract, docs/send.md 11): 10 MiB, decoded. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

/** How many bytes base64 text decodes to, by its length alone. Does not check that it is base64: see `isBase64`. */
export function decodedSize(base64: string): number {
  let end = base64.length;
  if (end > 0 && base64[end - 1] === '=') end -= base64[end - 2] === '=' ? 2 : 1;
  return Math.floor((end * 3) / 4);
}

/**
 * Whether the text is base64 of RFC 4648 4: standard alphabet, padded, no white space, no line breaks. Node's decoder
 * skips most foreign characters, which makes its result shorter. The exceptions are tested first: it accepts the URL-safe letters,
 * and reads only the lower byte of characters beyond Latin-1. This is several times faster than testing each character.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (text.includes('-') || text.includes('_') || Buffer.byteLength(text) !== text.length) return false;
  return Buffer.from(text, 'base64').length === decodedSize(text);
}

const FOREIGN = /[^A-Za-z0-9+/=]/;

/** The first fault of a text that is not base64, as a person sees it: a line break after the padding, not the padding itself. */
export function base64Fault(text: string): { position: number; found: string } | { length: number } {
  const foreign = text.search(FOREIGN);
  const position = foreign < 0 ? text.replace(/={1,2}$/, '').indexOf('=') : foreign;
  return position < 0 ? { length: text.length } : { position, found: text[position]! };
}

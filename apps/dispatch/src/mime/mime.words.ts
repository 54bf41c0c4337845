/** Length of `=?UTF-8?B?` and `?=` around the text of an encoded word, which has at most 75 characters (RFC 2047 section 2). */
export const WORD_FRAME = 12;
export const MAX_WORD_CONTENT = 75 - WORD_FRAME;

const HEX = '0123456789ABCDEF';
/** Octets that stand for themselves in a Q word wherever it is used, phrases included (RFC 2047 section 5, rule 3). */
const Q_UNESCAPED = table('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/');
const SPACE = 0x20;

function table(characters: string): Uint8Array {
  const found = new Uint8Array(256);
  for (const character of characters) found[character.charCodeAt(0)] = 1;
  return found;
}

/**
 * A text as encoded words, in the shorter encoding; the first has at most `room` characters between its frame. No character is split. Base64
 * is cut where it needs no padding if such a place is near, because some readers stop at the padding of a word and lose those behind it.
 */
export function encodedWords(text: string, room: number): string[] {
  const encoding = shorterEncoding(Buffer.from(text));
  const words: string[] = [];
  let content = '';
  let octets = 0;
  let unpadded = { length: 0, octets: 0 };
  for (const character of text) {
    const more = encoding === 'B' ? utf8Length(character) : qLength(character);
    const max = words.length === 0 ? room : MAX_WORD_CONTENT;
    if (content !== '' && (encoding === 'B' ? Math.ceil((octets + more) / 3) * 4 : octets + more) > max) {
      const cut = 2 * unpadded.octets >= octets ? unpadded : { length: content.length, octets };
      words.push(encodedWord(content.slice(0, cut.length), encoding));
      content = content.slice(cut.length);
      octets -= cut.octets;
      unpadded = { length: 0, octets: 0 };
    }
    content += character;
    octets += more;
    if (encoding === 'B' && octets % 3 === 0) unpadded = { length: content.length, octets };
  }
  return [...words, encodedWord(content, encoding)];
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function qLength(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return code === SPACE || Q_UNESCAPED[code] === 1 ? 1 : 3;
  return 3 * utf8Length(character);
}

function shorterEncoding(bytes: Buffer): 'B' | 'Q' {
  let q = 0;
  for (const byte of bytes) q += byte === SPACE || Q_UNESCAPED[byte] === 1 ? 1 : 3;
  return q <= Math.ceil(bytes.length / 3) * 4 ? 'Q' : 'B';
}

function encodedWord(text: string, encoding: 'B' | 'Q'): string {
  const bytes = Buffer.from(text);
  if (encoding === 'B') return `=?UTF-8?B?${bytes.toString('base64')}?=`;
  let encoded = '';
  for (const byte of bytes) {
    if (byte === SPACE) encoded += '_';
    else if (Q_UNESCAPED[byte] === 1) encoded += String.fromCharCode(byte);
    else encoded += `=${HEX[byte >> 4]!}${HEX[byte & 15]!}`;
  }
  return `=?UTF-8?Q?${encoded}?=`;
}

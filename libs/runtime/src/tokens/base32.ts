/** The alphabet of RFC 4648 in lower case; decoding ignores case, which local parts of addresses may lose on the way. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += LETTERS[(value >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + LETTERS[(value << (5 - bits)) & 31] : text;
}

/** Decodes; undefined if a letter is not of the alphabet, or if the text is not the canonical one of its bytes. */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text.toLowerCase()) {
    const five = LETTERS.indexOf(letter);
    if (five < 0) return undefined;
    value = ((value << 5) | five) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes.push((value >> (bits -= 8)) & 255);
  }
  const read = Buffer.from(bytes);
  return toBase32(read) === text.toLowerCase() ? read : undefined;
}

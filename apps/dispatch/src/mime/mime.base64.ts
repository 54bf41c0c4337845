/** A line of 76 characters (RFC 2045 section 6.8) encodes 57 bytes; 800 lines are encoded at a time. */
const BYTES_PER_LINE = 57;
const LINE_LENGTH = 76;
const BYTES_PER_CHUNK = BYTES_PER_LINE * 800;
const CR = 13;
const LF = 10;

/** Length of that many bytes as base64, including all line ends. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4 + 2 * Math.ceil(bytes / BYTES_PER_LINE);
}

/** Base64 in lines, each ended by CRLF. */
export function base64Lines(bytes: Buffer): Buffer {
  const unbroken = Buffer.from(bytes.toString('base64'), 'latin1');
  const lines = Buffer.allocUnsafe(base64Length(bytes.length));
  let to = 0;
  for (let at = 0; at < unbroken.length; at += LINE_LENGTH) {
    to += unbroken.copy(lines, to, at, at + LINE_LENGTH);
    lines[to++] = CR;
    lines[to++] = LF;
  }
  return lines;
}

/** The encoded chunks of a content. They live as long as its bytes do, so a bound on the bytes bounds both. */
interface Encoded {
  firstReader: object;
  chunks: Buffer[];
}
const encodedOf = new WeakMap<Buffer, Encoded>();

/**
 * A content as base64, in chunks of about 64 KiB. One that a second mail has is kept encoded: a file of a campaign is encoded a few times,
 * however many recipients it goes to, and a file of a single mail takes no memory besides its bytes, also if that is signed before it is
 * sent. `reader` stands for the mail.
 */
export function* base64Chunks(bytes: Buffer, reader: object): Generator<Buffer> {
  const encoded = encodedOf.get(bytes) ?? { firstReader: reader, chunks: [] };
  encodedOf.set(bytes, encoded);
  const keep = encoded.firstReader !== reader;
  for (let at = 0, index = 0; at < bytes.length; at += BYTES_PER_CHUNK, index += 1) {
    const chunk = encoded.chunks[index] ?? base64Lines(bytes.subarray(at, at + BYTES_PER_CHUNK));
    if (keep) encoded.chunks[index] = chunk;
    yield chunk;
  }
}

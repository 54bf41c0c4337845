/** A piece of a mail: bytes as they go, or bytes that go as base64 and are only encoded when their turn comes. */
export type Piece = Buffer | { base64: Buffer };

/** 76 characters a line (RFC 2045 section 6.8) are 57 bytes; this many lines are encoded at a time. */
const BYTES_A_LINE = 57;
const LINES_A_CHUNK = 800;
const CHUNK = 64 * 1024;
const NOT_ASCII = /[^\u0000-\u007f]/;

function base64Length(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + 2 * Math.ceil(bytes / BYTES_A_LINE);
}

function base64Lines(bytes: Buffer): Buffer {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) lines.push(bytes.toString('base64', at, at + BYTES_A_LINE));
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
}

function sizeOf(pieces: Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('base64' in piece ? base64Length(piece.base64.length) : piece.length), 0);
}

/** A whole mail, CRLF line ends, without dot stuffing. Attachments are held once, not encoded, however often it is read. */
export class MailBody {
  private constructor(
    private readonly pieces: Piece[],
    /** Bytes as they go over the wire, without dot stuffing. */
    readonly size: number,
    /** Some bytes are over 127: the hop must take them as they are (RFC 6152, RFC 6532). */
    readonly eightBit: boolean,
  ) {}

  static of(parts: (string | Piece)[]): MailBody {
    const pieces: Piece[] = [];
    let text = '';
    let eightBit = false;
    // Texts that follow on each other become one piece: every piece is a write to the socket later on.
    const flush = () => {
      if (text === '') return;
      eightBit ||= NOT_ASCII.test(text);
      pieces.push(Buffer.from(text));
      text = '';
    };
    for (const part of parts) {
      if (typeof part === 'string') {
        text += part;
      } else {
        flush();
        pieces.push(part);
      }
    }
    flush();
    return new MailBody(pieces, sizeOf(pieces), eightBit);
  }

  /** The bytes in order, in chunks of about 64 KiB at most. */
  *chunks(): Generator<Buffer> {
    for (const piece of this.pieces) {
      if ('base64' in piece) {
        const step = BYTES_A_LINE * LINES_A_CHUNK;
        for (let at = 0; at < piece.base64.length; at += step) yield base64Lines(piece.base64.subarray(at, at + step));
      } else {
        for (let at = 0; at < piece.length; at += CHUNK) yield piece.subarray(at, at + CHUNK);
      }
    }
  }

  /** All of it at once, for tests and small mails. */
  toBuffer(): Buffer {
    return Buffer.concat([...this.chunks()]);
  }
}

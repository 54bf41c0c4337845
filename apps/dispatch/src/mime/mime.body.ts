import { base64Chunks, base64Length } from './mime.base64';

/** A piece of a mail: bytes to be sent as they are, or bytes to be sent as base64, which are encoded only when they are read. */
export type Piece = Buffer | { base64: Buffer };

const CHUNK_BYTES = 64 * 1024;

function sizeOf(pieces: Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('base64' in piece ? base64Length(piece.base64.length) : piece.length), 0);
}

/** A whole mail with CRLF line ends, without dot stuffing. Its files are encoded when they are read (see `base64Chunks`). */
export class MailBody {
  private constructor(
    private readonly pieces: Piece[],
    /** Size in bytes on the wire, before dot stuffing. */
    readonly size: number,
    /** Some bytes are over 127: the hop must take them as they are (RFC 6152, RFC 6532). */
    readonly eightBit: boolean,
    /** The same for all forms of one mail, signed or not. */
    private readonly identity: object,
  ) {}

  static of(pieces: Piece[], eightBit: boolean): MailBody {
    return new MailBody(pieces, sizeOf(pieces), eightBit, {});
  }

  /** The same mail with further header fields before it, in ASCII. */
  withHeader(fields: string): MailBody {
    const added = Buffer.from(fields, 'latin1');
    const [first, ...others] = this.pieces;
    // A small mail stays one piece: one write on the wire.
    const joins = Buffer.isBuffer(first) && added.length + first.length <= CHUNK_BYTES;
    const pieces = joins ? [Buffer.concat([added, first]), ...others] : [added, ...this.pieces];
    return new MailBody(pieces, sizeOf(pieces), this.eightBit, this.identity);
  }

  /** The bytes in order, in chunks of about 64 KiB at most. */
  *chunks(): Generator<Buffer> {
    for (const piece of this.pieces) {
      if ('base64' in piece) yield* base64Chunks(piece.base64, this.identity);
      else for (let at = 0; at < piece.length; at += CHUNK_BYTES) yield piece.subarray(at, at + CHUNK_BYTES);
    }
  }
}

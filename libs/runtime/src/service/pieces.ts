const MAX_BYTES = 64 * 1024;
const MAX_PIECES = 1024;

/** Collects pieces of a body to join them: each takes hundreds of bytes of memory besides its content, which may be one byte. */
export class Pieces {
  private pieces: Buffer[] = [];
  private bytes = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
  }

  /** Whether there are enough to join them before more arrive. */
  get areEnough(): boolean {
    return this.bytes >= MAX_BYTES || this.pieces.length >= MAX_PIECES;
  }

  /** All pieces since the last call, in one buffer. */
  join(): Buffer {
    const joined = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces, this.bytes);
    this.pieces = [];
    this.bytes = 0;
    return joined;
  }
}

const MOST_BYTES = 64 * 1024;
const MOST_PIECES = 1024;

/** Pieces of a body on their way to be put together: each takes hundreds of bytes of its own, and may hold one. */
export class Pieces {
  private pieces: Buffer[] = [];
  private bytes = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
  }

  /** There are enough to be joined before more come. */
  get areEnough(): boolean {
    return this.bytes >= MOST_BYTES || this.pieces.length >= MOST_PIECES;
  }

  /** All since the last time, in one. */
  join(): Buffer {
    const joined = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces, this.bytes);
    this.pieces = [];
    this.bytes = 0;
    return joined;
  }
}

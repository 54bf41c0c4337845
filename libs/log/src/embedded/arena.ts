/** Pieces of memory that appends are written into, one behind the other: what one flush takes mostly lies together. */
export class Arena {
  private bytes = Buffer.alloc(0);
  private used = 0;

  constructor(private readonly size = 1024 * 1024) {}

  /** The place for at least `least` bytes; `keep` says how many of them were needed. */
  room(least: number): Buffer {
    if (this.bytes.length - this.used < least) {
      // Of its own, not of Node's pool: a small piece of it would keep much else in memory.
      this.bytes = Buffer.allocUnsafeSlow(Math.max(this.size, least));
      this.used = 0;
    }
    return this.bytes.subarray(this.used);
  }

  /** The first bytes of the last `room` are taken. */
  keep(length: number): Buffer {
    const kept = this.bytes.subarray(this.used, this.used + length);
    this.used += length;
    return kept;
  }
}

/** Neighbours of one arena as one buffer, up to `most` bytes each. */
export function joined(pieces: Buffer[], most: number): Buffer[] {
  const all: Buffer[] = [];
  let last: Buffer | undefined;
  for (const piece of pieces) {
    const fits = last && last.length + piece.length <= most;
    if (fits && last!.buffer === piece.buffer && last!.byteOffset + last!.length === piece.byteOffset) {
      last = Buffer.from(piece.buffer, last!.byteOffset, last!.length + piece.length);
      all[all.length - 1] = last;
    } else {
      last = piece;
      all.push(piece);
    }
  }
  return all;
}

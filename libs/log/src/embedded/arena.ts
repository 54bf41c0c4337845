/** Memory blocks that appends are encoded into, one after another, so that the appends of one flush are mostly adjacent. */
export class Arena {
  private bytes = Buffer.alloc(0);
  private used = 0;

  constructor(private readonly size = 1024 * 1024) {}

  /** Free memory of at least `minBytes`; the caller tells `take` how many of them it used. */
  reserve(minBytes: number): Buffer {
    if (this.bytes.length - this.used < minBytes) {
      // Not from Node's pool: a small piece would keep a whole block of the pool in memory.
      this.bytes = Buffer.allocUnsafeSlow(Math.max(this.size, minBytes));
      this.used = 0;
    }
    return this.bytes.subarray(this.used);
  }

  /** Takes the first `length` bytes of the last `reserve`. */
  take(length: number): Buffer {
    const kept = this.bytes.subarray(this.used, this.used + length);
    this.used += length;
    return kept;
  }
}

/** Joins buffers that are adjacent in one arena, up to `maxBytes` each. */
export function joinAdjacent(pieces: Buffer[], maxBytes: number): Buffer[] {
  const all: Buffer[] = [];
  let last: Buffer | undefined;
  for (const piece of pieces) {
    const fits = last && last.length + piece.length <= maxBytes;
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

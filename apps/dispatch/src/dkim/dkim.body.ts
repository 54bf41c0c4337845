import { createHash } from 'node:crypto';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
/** Matches what the relaxed form does not contain. */
const NOT_RELAXED = /\t| [ \r]/;

/** Position of the last byte that belongs neither to a blank nor to a line end; -1 if there is none. */
function lastByte(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] === SPACE || bytes[at] === CR || bytes[at] === LF)) at -= 1;
  return at;
}

/** Hashes a body in its relaxed form (RFC 6376 section 3.4.4) as it arrives, however it is cut into chunks. */
export class RelaxedBody {
  private readonly hash = createHash('sha256');
  private out = Buffer.allocUnsafe(1024);
  private length = 0;
  /** Read, but written only when something follows: line ends, then a blank, then a CR without its LF. */
  private heldLineEnds = 0;
  private heldBlank = false;
  private heldCr = false;
  private isEmpty = true;

  update(chunk: Buffer): void {
    const begun = this.isHolding() ? this.walk(chunk, true) : 0;
    const rest = chunk.subarray(begun);
    // Most texts are already in relaxed form, except at their end.
    const plain = NOT_RELAXED.test(rest.toString('latin1')) ? 0 : lastByte(rest) + 1;
    if (plain > 0) this.isEmpty = false;
    this.hash.update(rest.subarray(0, plain));
    this.walk(rest.subarray(plain), false);
  }

  private isHolding(): boolean {
    return this.heldLineEnds > 0 || this.heldBlank || this.heldCr;
  }

  /** Goes byte by byte; with `toFirst` only up to the first byte that is written. Returns how many bytes were read. */
  private walk(chunk: Buffer, toFirst: boolean): number {
    this.reserve(chunk.length + 3);
    let holds = this.isHolding();
    let { out, length } = this;
    let at = 0;
    for (; at < chunk.length && !(toFirst && !holds); at += 1) {
      const byte = chunk[at]!;
      const written = byte > SPACE || (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF);
      if (written && !holds) {
        out[length++] = byte;
        continue;
      }
      this.length = length;
      if (written) this.writeHeld(chunk.length - at);
      else this.hold(byte, chunk.length - at);
      ({ out, length } = this);
      holds = !written;
      if (written) out[length++] = byte;
    }
    this.length = length;
    this.flush();
    return at;
  }

  /** The SHA-256, to be called once. Empty lines at the end do not count; a body that is not empty ends with a line end. */
  digest(): Buffer {
    // A CR without an LF after it is a character like any other.
    if (this.heldCr) this.writeHeld(0);
    this.flush();
    return this.hash.update(this.isEmpty ? '' : '\r\n').digest();
  }

  private hold(byte: number, rest: number): void {
    if (byte === LF && this.heldCr) {
      this.heldCr = false;
      // Blanks at the end of a line do not count.
      this.heldBlank = false;
      this.heldLineEnds += 1;
      return;
    }
    if (this.heldCr || byte === LF) this.writeHeld(rest);
    if (byte === CR) this.heldCr = true;
    else if (byte !== LF) this.heldBlank = true;
    else this.out[this.length++] = LF;
  }

  /** Writes what was held back; `rest` bytes of this chunk are still to come. */
  private writeHeld(rest: number): void {
    this.reserve(2 * this.heldLineEnds + 2 + rest);
    for (; this.heldLineEnds > 0; this.heldLineEnds -= 1) {
      this.out[this.length++] = CR;
      this.out[this.length++] = LF;
    }
    if (this.heldBlank) this.out[this.length++] = SPACE;
    if (this.heldCr) this.out[this.length++] = CR;
    this.heldBlank = this.heldCr = false;
  }

  private flush(): void {
    if (this.length > 0) this.isEmpty = false;
    this.hash.update(this.out.subarray(0, this.length));
    this.length = 0;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.out.length * 2, this.length + bytes));
    this.out.copy(larger, 0, 0, this.length);
    this.out = larger;
  }
}

import { createHash } from 'node:crypto';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
/** Matches what the relaxed form does not contain. */
const REDUCED = /\t| [ \r]/;

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
  private lineEnds = 0;
  private blank = false;
  private cr = false;
  private empty = true;

  update(chunk: Buffer): void {
    const begun = this.holds() ? this.walk(chunk, true) : 0;
    const rest = chunk.subarray(begun);
    // Most texts are already in relaxed form, except at their end.
    const plain = REDUCED.test(rest.toString('latin1')) ? 0 : lastByte(rest) + 1;
    if (plain > 0) this.empty = false;
    this.hash.update(rest.subarray(0, plain));
    this.walk(rest.subarray(plain), false);
  }

  private holds(): boolean {
    return this.lineEnds > 0 || this.blank || this.cr;
  }

  /** Goes byte by byte; with `toFirst` only up to the first byte that is written. Returns how many bytes were read. */
  private walk(chunk: Buffer, toFirst: boolean): number {
    this.reserve(chunk.length + 3);
    let holds = this.holds();
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
    if (this.cr) this.writeHeld(0);
    this.flush();
    return this.hash.update(this.empty ? '' : '\r\n').digest();
  }

  private hold(byte: number, rest: number): void {
    if (byte === LF && this.cr) {
      this.cr = false;
      // Blanks at the end of a line do not count.
      this.blank = false;
      this.lineEnds += 1;
      return;
    }
    if (this.cr || byte === LF) this.writeHeld(rest);
    if (byte === CR) this.cr = true;
    else if (byte !== LF) this.blank = true;
    else this.out[this.length++] = LF;
  }

  /** Writes what was held back; `rest` bytes of this chunk are still to come. */
  private writeHeld(rest: number): void {
    this.reserve(2 * this.lineEnds + 2 + rest);
    for (; this.lineEnds > 0; this.lineEnds -= 1) {
      this.out[this.length++] = CR;
      this.out[this.length++] = LF;
    }
    if (this.blank) this.out[this.length++] = SPACE;
    if (this.cr) this.out[this.length++] = CR;
    this.blank = this.cr = false;
  }

  private flush(): void {
    if (this.length > 0) this.empty = false;
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

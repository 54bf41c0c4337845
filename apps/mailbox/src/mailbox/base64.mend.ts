import PostalMime from 'postal-mime';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = 64;
const FOREIGN = 65;
/** What each byte stands for. */
const VALUES = new Uint8Array(256).fill(FOREIGN);
for (const [value, character] of [...ALPHABET, '='].entries()) VALUES[character.charCodeAt(0)] = value;

const FIRST_ROOM = 64 * 1024;

/** Decodes base64 line by line. Padding ends a unit, and another may follow; bytes that are not of the alphabet are skipped. */
class Base64Decoder {
  private bytes = new Uint8Array(FIRST_ROOM);
  private length = 0;
  /** The last bits that were read; the lower `count` of them are not written yet. */
  private bits = 0;
  private count = 0;

  update(line: Uint8Array): void {
    this.makeRoom(line.length);
    for (const byte of line) {
      const value = VALUES[byte]!;
      if (value === PADDING) this.count = 0;
      else if (value !== FOREIGN) this.take(value);
    }
  }

  finalize(): Promise<ArrayBuffer> {
    return Promise.resolve(this.bytes.buffer.slice(0, this.length));
  }

  private take(value: number): void {
    this.bits = ((this.bits << 6) | value) & 0xffff;
    this.count += 6;
    if (this.count < 8) return;
    this.count -= 8;
    this.bytes[this.length] = this.bits >> this.count;
    this.length += 1;
  }

  private makeRoom(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

/** What of postal-mime's part is used here; it is not part of its interface. */
interface MimeNode {
  contentDecoder: unknown;
  setupContentDecoder: (encoding: string) => void;
}

/**
 * Works around postal-mime 4.0.0, which keeps each padded unit of base64 as a buffer of its own: `a=a=a=…` took four seconds for each
 * megabyte, and 500 times its size in memory.
 */
export function mendBase64(): void {
  const node = Object.getPrototypeOf((new PostalMime() as unknown as { root: MimeNode }).root) as MimeNode;
  const setup = node.setupContentDecoder;
  node.setupContentDecoder = function (this: MimeNode, encoding) {
    if (/base64/i.test(encoding)) this.contentDecoder = new Base64Decoder();
    else setup.call(this, encoding);
  };
}

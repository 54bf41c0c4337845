import { NOT_ASCII } from '../smtp/smtp.envelope';
import { MailBody, type Piece } from './mime.body';

/**
 * A mail's texts are written here first and copied once, at their exact length. The buffer can be shared, as nothing else runs in between.
 */
const SHARED_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);

/** Collects a mail: texts in one run of bytes, files between them as pieces of their own. */
export class MailWriter {
  buffer = SHARED_BUFFER;
  length = 0;
  private readonly pieces: Piece[] = [];
  private eightBit = false;

  /** Makes room for that many more bytes. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  text(text: string): void {
    if (!NOT_ASCII.test(text)) return this.ascii(text);
    this.eightBit = true;
    this.bytes(Buffer.from(text));
  }

  ascii(text: string): void {
    this.reserve(text.length);
    this.length += this.buffer.write(text, this.length, 'latin1');
  }

  bytes(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.buffer, this.length);
  }

  piece(piece: Piece): void {
    this.flushText();
    this.pieces.push(piece);
  }

  endLine(): void {
    if (this.length > 0 && this.buffer[this.length - 1] !== 10) this.ascii('\r\n');
  }

  done(): MailBody {
    this.flushText();
    return MailBody.of(this.pieces, this.eightBit);
  }

  private flushText(): void {
    if (this.length === 0) return;
    this.pieces.push(Buffer.from(this.buffer.subarray(0, this.length)));
    this.length = 0;
  }
}

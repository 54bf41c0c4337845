const DOT = 0x2e;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);
const DOT_LINE = '.\r\n';

/** The mail to be sent: see `MailBody`. */
export interface OutgoingContent {
  /** Bytes of all chunks. */
  size: number;
  /** It contains bytes over 127, unencoded. */
  eightBit: boolean;
  chunks(): Iterator<Buffer>;
}

/** The content of a mail as sent after DATA, with leading dots doubled (RFC 5321 section 4.5.2). */
export class DotStuffing {
  private nextChunk: IteratorResult<Buffer, unknown>;
  private lineStart = true;

  constructor(private readonly chunks: Iterator<Buffer>) {
    this.nextChunk = chunks.next();
  }

  /** Only the end is left. */
  get finished(): boolean {
    return this.nextChunk.done === true;
  }

  /** The next bytes to write; none if the mail is empty. */
  next(): Buffer {
    const { value, done } = this.nextChunk;
    if (done) return NOTHING;
    const bytes = this.stuffed(value);
    this.nextChunk = this.chunks.next();
    return bytes;
  }

  /** What follows the last bytes: the final dot, on a line of its own. */
  terminator(): string {
    return this.lineStart ? DOT_LINE : `\r\n${DOT_LINE}`;
  }

  private stuffed(chunk: Buffer): Buffer {
    if (chunk.length === 0) return NOTHING;
    const first = this.lineStart && chunk[0] === DOT ? 0 : firstDot(chunk);
    this.lineStart = chunk[chunk.length - 1] === LF;
    return first < 0 ? chunk : doubled(chunk, first);
  }
}

function firstDot(chunk: Buffer): number {
  const found = chunk.indexOf('\n.');
  return found < 0 ? -1 : found + 1;
}

/** Doubles the dot at `first` and each after it that begins a line. */
function doubled(chunk: Buffer, first: number): Buffer {
  const out = Buffer.allocUnsafe(chunk.length * 2);
  let to = chunk.copy(out, 0, 0, first);
  for (let at = first; at < chunk.length; at += 1) {
    const byte = chunk[at]!;
    if (byte === DOT && (at === first || chunk[at - 1] === LF)) out[to++] = DOT;
    out[to++] = byte;
  }
  return out.subarray(0, to);
}

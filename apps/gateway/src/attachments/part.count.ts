const DASH = 45;

/** The delimiter of a body by its Content-Type; nothing where it names none. */
export function delimiterOf(contentType: string): Buffer | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? undefined : Buffer.from(`\r\n--${boundary}`, 'latin1');
}

/**
 * Counts the parts of a multipart body (RFC 2046 5.1.1) as its bytes pass by. The parser says nothing of parts that it can't
 * use, such as one without a Content-Disposition: whoever sent a file must be told that it would be lost.
 */
export class PartCount {
  parts = 0;
  /** Whether the closing delimiter was seen. */
  ended = false;
  /** What the last chunk ended in, and may be the beginning of a delimiter. The first one needs no line break before it. */
  private tail = Buffer.from('\r\n');

  constructor(private readonly delimiter: Buffer) {}

  add(chunk: Buffer): void {
    if (this.ended) return;
    const { delimiter } = this;
    const bytes = Buffer.concat([this.tail, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, from)) {
      const after = at + delimiter.length;
      // Two dashes make it the last one: they have to be seen.
      if (bytes.length < after + 2) {
        this.tail = bytes.subarray(at);
        return;
      }
      this.ended = bytes[after] === DASH && bytes[after + 1] === DASH;
      if (this.ended) return;
      this.parts += 1;
      from = after;
    }
    this.tail = bytes.subarray(Math.max(from, bytes.length - delimiter.length + 1));
  }
}

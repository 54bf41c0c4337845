const DASH = 45;
const BLANKS = [32, 9];
/** Longer heads are not kept: there is room for a file name of 255 characters given twice, and a media type with parameters. */
export const MAX_HEAD_BYTES = 8192;
/** More parts than any body may have. */
const MAX_HEADS = 2000;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * The delimiter of a body by its Content-Type; undefined if there is no boundary. Blanks around the equals sign are allowed, as in the
 * parser.
 */
export function delimiterOf(contentType: string): Buffer | undefined {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? undefined : Buffer.from(`\r\n--${boundary}`, 'latin1');
}

/** Collects the bytes of one head at a time as they arrive, up to the empty line that ends it. */
class HeadBuffer {
  private readonly bytes = Buffer.alloc(MAX_HEAD_BYTES);
  private length = 0;
  private isOpen = false;

  begin(): void {
    this.isOpen = true;
    this.length = 0;
  }

  /** Returns the head once it is complete, and never one that is longer than `MAX_HEAD_BYTES`. */
  add(some: Buffer): string | undefined {
    if (!this.isOpen) return undefined;
    // The end of the head may be split between the earlier bytes and the new ones.
    const from = Math.max(0, this.length - HEAD_END.length + 1);
    this.length += some.copy(this.bytes, this.length);
    const end = this.bytes.subarray(0, this.length).indexOf(HEAD_END, from);
    this.isOpen = end < 0 && this.length < MAX_HEAD_BYTES;
    return end < 0 ? undefined : this.bytes.toString('latin1', 0, end);
  }
}

/**
 * Counts the parts of a multipart body (RFC 2046 5.1.1) as its bytes pass by, and keeps their heads. The parser does not report parts that
 * it cannot use, such as one without a Content-Disposition: the client must be told that such a file would be lost. Nor does the parser
 * report the parameters of a Content-Type.
 */
export class PartHeads {
  /** Header lines of each part as Latin-1; undefined if they are longer than `MAX_HEAD_BYTES` or have no end, and from part 2,001 on. */
  readonly heads: (string | undefined)[] = [];
  /** Whether the closing delimiter was seen. */
  ended = false;
  /** Whether blanks follow a delimiter. RFC 2046 5.1.1 allows them, but no HTTP client sends any, and the parser loses the part. */
  padded = false;
  /** End of the last chunk, which may be the beginning of a delimiter. The first delimiter needs no line break before it. */
  private tail: Buffer = Buffer.from('\r\n');
  private readonly head = new HeadBuffer();
  /** Bytes of the tail that the head has read already. */
  private tailBytesRead = 0;

  constructor(private readonly delimiter: Buffer) {}

  get parts(): number {
    return this.heads.length;
  }

  /** The head of a part, which is not kept any longer: a thousand of them can have eight megabytes. */
  take(part: number): string | undefined {
    const head = this.heads[part];
    if (head !== undefined) this.heads[part] = undefined;
    return head;
  }

  add(chunk: Buffer): void {
    if (this.ended) return;
    const { delimiter } = this;
    const bytes = Buffer.concat([this.tail, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, from)) {
      const after = at + delimiter.length;
      // The line break of a delimiter may also be the one that ends the head of a part without content.
      this.readHead(bytes, at + 2);
      // Two dashes after the delimiter mark the last one: wait until both bytes have arrived.
      if (bytes.length < after + 2) return this.keepTail(bytes, at);
      this.ended = bytes[after] === DASH && bytes[after + 1] === DASH;
      if (this.ended) return;
      this.padded ||= BLANKS.includes(bytes[after]!);
      this.heads.push(undefined);
      this.head.begin();
      this.tailBytesRead = from = after;
    }
    this.readHead(bytes, bytes.length);
    this.keepTail(bytes, Math.max(from, bytes.length - delimiter.length + 1));
  }

  private readHead(bytes: Buffer, end: number): void {
    const head = this.head.add(bytes.subarray(this.tailBytesRead, Math.max(this.tailBytesRead, end)));
    if (head !== undefined && this.parts <= MAX_HEADS) this.heads[this.parts - 1] = head;
    this.tailBytesRead = Math.max(this.tailBytesRead, end);
  }

  private keepTail(bytes: Buffer, from: number): void {
    this.tail = bytes.subarray(from);
    this.tailBytesRead = Math.max(0, this.tailBytesRead - from);
  }
}

/** Of a longer Content-Type no parameter is passed on; media type and subtype have fewer characters. */
const MAX_TYPE_LENGTH = 512;

/** The beginning of the first Content-Type in a head, unfolded. A copy: a part of a string keeps the whole string in memory. */
export function contentTypeIn(head: string): string | undefined {
  const type = headerIn(head, 'content-type')?.slice(0, MAX_TYPE_LENGTH);
  return type && Buffer.from(type, 'latin1').toString('latin1');
}

/** Whether a file name is split into pieces (RFC 2231 3); the parser reads only one of them. */
export function isNameInPieces(head: string): boolean {
  return /;\s*filename\*\d/i.test(dispositionIn(head));
}

/**
 * The name in `filename*` (RFC 8187), without its path; undefined if there is none, or it cannot be read. The parser ignores it after a
 * `filename` in quotes, which is meant for recipients that know no other form, for example as an ASCII rendering (RFC 6266 4.3).
 */
export function extendedNameIn(head: string): string | undefined {
  const [, charset = '', coded = ''] =
    /;\s*filename\*\s*=\s*([\w-]+)'[^']*'([!-:<-~]+)\s*(?:;|$)/i.exec(dispositionIn(head)) ?? [];
  return decoded(charset.toLowerCase(), coded)?.replace(/^(?:.*[/\\])?(?:\.\.?$)?/s, '');
}

function decoded(charset: string, coded: string): string | undefined {
  if (charset === 'iso-8859-1') {
    return coded.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  try {
    return charset === 'utf-8' ? decodeURIComponent(coded) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The first Content-Disposition, with its quoted strings emptied. An unclosed quote extends to the end, so that no character is read twice.
 */
function dispositionIn(head: string): string {
  return headerIn(head, 'content-disposition')?.replace(/"(?:\\.|[^"\\])*"?/gs, '""') ?? '';
}

function headerIn(head: string, name: string): string | undefined {
  const line = head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .find((one) => one.slice(0, name.length + 1).toLowerCase() === `${name}:`);
  return line?.slice(name.length + 1).trim();
}

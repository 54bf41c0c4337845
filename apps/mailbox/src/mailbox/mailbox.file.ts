/** Sender and recipients of a mail in SMTP (RFC 5321, 2.3.1); `from` is empty for the null sender. */
export interface Envelope {
  from: string;
  to: string[];
}

/** The content of a file's first line; `length` is its length in bytes, after which the mail as received begins. */
export interface EnvelopeLine {
  envelope: Envelope;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  length: number;
}

const ENVELOPE_PREFIX = 'X-Mailbox-Envelope: ';
const MAIL_NAME = /^([0-9A-Za-z]{18})\.eml$/;
const DRAFT_NAME = /^[0-9a-f-]{36}\.part$/;

export const mailFileName = (id: string): string => `${id}.eml`;

/** The id in a file name; undefined if it is not the name of a stored mail. */
export const idOfFileName = (name: string): string | undefined => MAIL_NAME.exec(name)?.[1];

export const draftFileName = (unique: string): string => `${unique}.part`;

export const isDraftFileName = (name: string): boolean => DRAFT_NAME.test(name);

/**
 * The envelope as a header line before the mail: one file and one sync hold both, so neither exists without the other, and any mail program
 * can open the file.
 */
export function envelopeLine(envelope: Envelope, receivedAt: number): Buffer {
  return Buffer.from(`${ENVELOPE_PREFIX}${JSON.stringify({ ...envelope, received_at: receivedAt })}\r\n`);
}

/** Reads the envelope from the first bytes of a file; undefined if we did not write the line, or not completely. */
export function readEnvelopeLine(head: Buffer): EnvelopeLine | undefined {
  const end = head.indexOf('\r\n');
  if (end < 0 || head.toString('latin1', 0, ENVELOPE_PREFIX.length) !== ENVELOPE_PREFIX) return undefined;
  try {
    const line = JSON.parse(head.toString('utf8', ENVELOPE_PREFIX.length, end)) as Partial<Envelope> & {
      received_at?: unknown;
    };
    const { from, to, received_at: receivedAt } = line;
    if (typeof from !== 'string' || !Array.isArray(to) || typeof receivedAt !== 'number') return undefined;
    return { envelope: { from, to: to.map(String) }, receivedAt, length: end + 2 };
  } catch {
    return undefined;
  }
}

/** The header block at the start of a mail, including its empty line; all of `head` if the block does not end within it. */
export function headerBlock(head: Buffer): Buffer {
  if (head[0] === 0x0a || (head[0] === 0x0d && head[1] === 0x0a)) return head.subarray(0, 0);
  const ends = [head.indexOf('\r\n\r\n'), head.indexOf('\n\n')].filter((at) => at >= 0);
  return ends.length === 0 ? head : head.subarray(0, Math.min(...ends) + 2);
}

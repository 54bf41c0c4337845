import { mendTextDecoder } from '@lettermill/runtime';
import PostalMime, { decodeWords, type Address, type Attachment, type Email } from 'postal-mime';
import { mendBase64 } from './base64.mend';
import { headerBlock, type Envelope } from './mailbox.file';

/** One line of the list. */
export interface MailSummary {
  id: string;
  /** Address of the From header, else the sender of the envelope. */
  from: string;
  from_name: string;
  /** The recipients of the envelope, which include the blind copies. */
  to: string[];
  subject: string;
  /** ISO 8601. */
  received_at: string;
  /** Bytes of the mail as received. */
  size: number;
}

export interface NamedAddress {
  email: string;
  name?: string;
}

export interface MailAttachment {
  index: number;
  file_name: string;
  content_type: string;
  size: number;
  /** Content-ID without its angle brackets, or null. */
  cid: string | null;
}

/** One mail in full. */
export interface ParsedMail {
  id: string;
  from: NamedAddress | null;
  to: NamedAddress[];
  cc: NamedAddress[];
  reply_to: NamedAddress[];
  subject: string;
  /** ISO 8601, or the header's text if that is not a valid date. */
  date: string | null;
  headers: { name: string; value: string }[];
  text: string | null;
  html: string | null;
  attachments: MailAttachment[];
  received_at: string;
  size: number;
  envelope: Envelope;
}

/** What the mailbox knows of a mail besides its content. */
export interface StoredMail {
  id: string;
  envelope: Envelope;
  receivedAt: number;
  size: number;
}

mendTextDecoder();
mendBase64();

const UNREADABLE_MAIL: Email = { headers: [], headerLines: [], attachments: [] };
/**
 * Limit of short lines. The parser keeps each line of a text separately: this many take it a second, in which nothing else is answered, and
 * 200 MB. Lines of base64 are longer and contain no blank; they cost an eighth.
 */
const MAX_SHORT_LINES = 100_000;
/** Limit of all lines, as a text may look like base64. The largest files that a message may have, and its texts, are 260,000. */
const MAX_LINES = 280_000;
const SHORT_LINE_LENGTH = 60;
const LF = 0x0a;
const BLANK = 0x20;
const SAFE_CONTENT_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/;

function hasTooManyLines(bytes: Buffer): boolean {
  let lines = 0;
  let shortLines = 0;
  let start = 0;
  let blank = bytes.indexOf(BLANK);
  let end = bytes.indexOf(LF);
  while (end >= 0 && lines <= MAX_LINES && shortLines <= MAX_SHORT_LINES) {
    lines += 1;
    if (end - start < SHORT_LINE_LENGTH || (blank >= start && blank < end)) shortLines += 1;
    start = end + 1;
    if (blank >= 0 && blank < start) blank = bytes.indexOf(BLANK, start);
    end = bytes.indexOf(LF, start);
  }
  return lines > MAX_LINES || shortLines > MAX_SHORT_LINES;
}

/**
 * Of all parts together. The parser reads nested groups fifty times over: half a megabyte took up to three seconds. Our own mails can have
 * 64 KiB of headers and the names of twenty copies, which encoding makes up to three times as long.
 */
const MAX_HEADER_BYTES = 240 * 1024;
/** A mail within a mail stays a file: its lines, which an encoding may hide, are not parsed. */
const PARSER_OPTIONS = { forceRfc822Attachments: true, maxHeadersSize: MAX_HEADER_BYTES };

/** Parses untrusted input: a mail that exceeds the parser's limits, or would keep it busy, is shown without its parts, never refused. */
export async function parseMime(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(hasTooManyLines(bytes) ? headerBlock(bytes) : bytes, PARSER_OPTIONS);
  } catch {
    return UNREADABLE_MAIL;
  }
}

/** The bytes of an attachment, not copied. */
export function bytesOf({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** The Content-ID as html refers to it, or null. */
export const cidOf = ({ contentId }: Attachment): string | null => contentId?.trim().replace(/^<|>$/g, '') || null;

/** A media type that is safe in a header; anything else declared becomes application/octet-stream. */
export const contentTypeOf = ({ mimeType }: Attachment): string =>
  SAFE_CONTENT_TYPE.test(mimeType) ? mimeType : 'application/octet-stream';

function namedAddresses(addresses: Address[] = []): NamedAddress[] {
  return addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name ? { email: address ?? '', name } : { email: address ?? '' }));
}

/** Makes the list entry of a mail from its first bytes. */
export async function summaryOf({ id, envelope, receivedAt, size }: StoredMail, head: Buffer): Promise<MailSummary> {
  const { from, subject } = await parseMime(headerBlock(head));
  const author = namedAddresses(from && [from])[0];
  return {
    id,
    from: author?.email || envelope.from,
    from_name: author?.name ?? '',
    to: envelope.to,
    subject: subject ?? '',
    received_at: new Date(receivedAt).toISOString(),
    size,
  };
}

export const fileNameOf = ({ filename }: Attachment, index: number): string => filename || `attachment-${index + 1}`;

export function parsedMail({ id, envelope, receivedAt, size }: StoredMail, email: Email): ParsedMail {
  return {
    id,
    from: namedAddresses(email.from && [email.from])[0] ?? null,
    to: namedAddresses(email.to),
    cc: namedAddresses(email.cc),
    reply_to: namedAddresses(email.replyTo),
    subject: email.subject ?? '',
    date: email.date ?? null,
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
    text: email.text ?? null,
    html: email.html ?? null,
    attachments: email.attachments.map((attachment, index) => ({
      index,
      file_name: fileNameOf(attachment, index),
      content_type: contentTypeOf(attachment),
      size: bytesOf(attachment).length,
      cid: cidOf(attachment),
    })),
    received_at: new Date(receivedAt).toISOString(),
    size,
    envelope,
  };
}

import { mendTextDecoder } from '@lettermill/runtime';
import PostalMime, { decodeWords, type Attachment, type Email } from 'postal-mime';
import { fieldGroups, type Field } from './fields';

mendTextDecoder();

/**
 * Reports put their findings first and the returned mail last: beyond this size there is only that mail's content. The parser's work grows
 * with the number of lines, so that is bounded, too.
 */
export const MAX_READ_BYTES = 512 * 1024;
const MAX_LINES = 6000;
/** Most lines that may begin a part: reports have few parts. */
const MAX_BOUNDARIES = 600;
/**
 * Most padded units of base64: the parser keeps each in a buffer of its own, which takes it ten microseconds. Every `=` counts, as in 60 KiB
 * of quoted-printable.
 */
const MAX_PADDINGS = 20_000;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_PART_BYTES = 128 * 1024;

/** A mail that may be a report, taken apart. */
export interface OpenedMail {
  header: Field[];
  /** The text for people. */
  text: string;
  /** Parts of type message/delivery-status, or that had this type originally. */
  statuses: string[];
  feedback: string | null;
  /** Header of the returned mail. */
  original: Field[];
  /** The unparsed mail, as far as it is worth searching: not every mail with parts follows the rules for them. */
  source: string;
}

const STATUS_TYPE = /^(message|text)\/(global-)?delivery-status$/;
const FEEDBACK_TYPE = /^(message|text)\/feedback-report$/;
/** Gateways on the way turn parts of unknown type into these; such parts are recognised by their fields. */
const GENERIC_TYPE = /^(application\/octet-stream|text\/plain)$/;
const STATUS_FIELD = /^(reporting-mta|final-recipient|original-recipient)$/;
const ANY_STATUS_FIELD =
  /^(reporting-mta|received-from-mta|arrival-date|final-recipient|original-recipient|action|status|diagnostic-code)$/;
const FEEDBACK_FIELD = /^feedback-type$/;
const RETURNED_TYPE =
  /^(message\/(rfc822|global|partial|rfc822-headers|global-headers)|text\/(global-|rfc822-)headers?)$/;

function textOf({ content }: Attachment): string {
  if (typeof content === 'string') return content.slice(0, MAX_PART_BYTES);
  const bytes = content instanceof ArrayBuffer ? new Uint8Array(content) : content;
  return Buffer.from(bytes.subarray(0, MAX_PART_BYTES)).toString('utf8');
}

function beginsWith(part: string, fields: RegExp): boolean {
  return (fieldGroups(part)[0] ?? []).some(([name]) => fields.test(name));
}

/** Crude text of HTML: it is searched for words, never shown. */
function wordsOfHtml(html: string): string {
  let rest = html.slice(0, MAX_PART_BYTES);
  for (const tag of ['style', 'script', 'head']) rest = withoutElement(rest, tag);
  return rest
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^<>]{0,500}>/gi, '\n')
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/&(?:(nbsp|lt|gt|apos|quot|amp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, decodeReference);
}

const NAMED_CHARACTERS: Record<string, string> = { nbsp: ' ', lt: '<', gt: '>', apos: "'", quot: '"', amp: '&' };
const MAX_CODE_POINT = 0x10ffff;

/** Decodes a character reference; one that stands for no character stays as it is. */
function decodeReference(reference: string, name?: string, decimal?: string, hex?: string): string {
  if (name) return NAMED_CHARACTERS[name.toLowerCase()]!;
  const code = decimal ? Number(decimal) : parseInt(hex!, 16);
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : reference;
}

function withoutElement(html: string, tag: string): string {
  const lower = html.toLowerCase();
  const opening = new RegExp(`<${tag}[\\s/>]`, 'g');
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const opens = opening.exec(lower)?.index;
    const closes = opens === undefined ? -1 : lower.indexOf(`</${tag}`, opens);
    if (closes < 0) return pieces.join('') + html.slice(at);
    pieces.push(html.slice(at, opens));
    const end = lower.indexOf('>', closes);
    if (end < 0) return pieces.join('');
    at = end + 1;
  }
}

/** The unparsed mail, as far as it is searched. */
function sourceOf(head: Buffer): string {
  return head.subarray(0, MAX_PART_BYTES).toString('utf8').replace(/\r\n/g, '\n');
}

async function parseMail(raw: Buffer): Promise<Email | undefined> {
  if (headerEnd(raw) > MAX_HEADER_BYTES) return undefined;
  try {
    return await PostalMime.parse(raw, { forceRfc822Attachments: true });
  } catch {
    return undefined;
  }
}

function headerEnd(raw: Buffer): number {
  const ends = [raw.indexOf('\n\n'), raw.indexOf('\n\r\n')].filter((at) => at >= 0);
  return ends.length === 0 ? raw.length : Math.min(...ends);
}

const HYPHEN = 0x2d;
const EQUALS = 0x3d;

/** Some gateways end lines with CR alone, others with one CR too many. */
function withLineFeeds(head: Buffer): Buffer {
  if (head.includes('\r\r\n')) return Buffer.from(head.toString('latin1').replace(/\r\r\n/g, '\n'), 'latin1');
  return head.includes(0x0a) ? head : Buffer.from(head.map((byte) => (byte === 0x0d ? 0x0a : byte)));
}

function withFewPaddings(head: Buffer): Buffer {
  let at = -1;
  for (let paddings = 0; paddings < MAX_PADDINGS; paddings += 1) {
    at = head.indexOf(EQUALS, at + 1);
    if (at < 0) return head;
    while (head[at + 1] === EQUALS) at += 1;
  }
  return head.subarray(0, at + 1);
}

function beginningOf(raw: Buffer): Buffer {
  const head = withFewPaddings(withLineFeeds(raw.subarray(0, MAX_READ_BYTES)));
  let end = -1;
  let boundaries = 0;
  for (let lines = 0; lines < MAX_LINES && boundaries < MAX_BOUNDARIES; lines += 1) {
    end = head.indexOf(0x0a, end + 1);
    if (end < 0) return head;
    if (head[end + 1] === HYPHEN && head[end + 2] === HYPHEN) boundaries += 1;
  }
  return head.subarray(0, end + 1);
}

/** Mails that were copied out of a mailbox may have blank lines before their header. */
function withoutBlanks(head: Buffer): Buffer {
  const first = head.findIndex((byte) => byte > 0x20);
  return first < 0 ? head : head.subarray(head.lastIndexOf(0x0a, first) + 1);
}

/** Takes any mail apart; one that exceeds the parser's limits is read as plain text. Never rejects. */
export async function openMail(raw: Buffer): Promise<OpenedMail> {
  const head = withoutBlanks(beginningOf(raw));
  const source = sourceOf(head);
  const email = await parseMail(withoutMboxLine(head));
  if (!email) {
    return {
      header: headerOf(source),
      text: decodeJapanese(bodyOf(source)),
      statuses: [],
      feedback: null,
      original: [],
      source,
    };
  }
  const partsOfType = (type: RegExp) => email.attachments.filter(({ mimeType }) => type.test(mimeType)).map(textOf);
  const partsWithField = (fields: RegExp) => partsOfType(GENERIC_TYPE).filter((part) => beginsWith(part, fields));
  const typed = partsOfType(STATUS_TYPE);
  const statuses = typed.length > 0 ? typed : partsWithField(STATUS_FIELD);
  const text = email.text?.trim() || wordsOfHtml(email.html ?? '').trim() || (wordsBeside(statuses) ?? bodyOf(source));
  const returned = partsOfType(RETURNED_TYPE)[0];
  const headerFile = email.attachments
    .filter(({ mimeType, filename }) => /^text\/plain$/.test(mimeType) && /header/i.test(filename ?? ''))
    .map(textOf)[0];
  return {
    header: email.headers.map(({ key, value }): Field => [key, decodeValue(value)]),
    text: decodeJapanese(text.slice(0, MAX_PART_BYTES)),
    statuses,
    feedback: partsOfType(FEEDBACK_TYPE)[0] ?? partsWithField(FEEDBACK_FIELD)[0] ?? null,
    original: headerOf(returned ?? headerFile ?? ''),
    source,
  };
}

/** Japanese mails that name no charset are in ISO-2022-JP (RFC 1468), recognised by its escape sequences. */
function decodeJapanese(text: string): string {
  if (!text.includes('\u001b$')) return text;
  return new TextDecoder('iso-2022-jp').decode(Buffer.from(text, 'latin1'));
}

/** What parts say to people that are status reports only by their type; undefined if there is no part of that type. */
function wordsBeside(statuses: readonly string[]): string | undefined {
  if (statuses.length === 0) return undefined;
  return statuses.filter((part) => !beginsWith(part, ANY_STATUS_FIELD)).join('\n');
}

/** Everything after the header, for a mail whose broken boundaries make its parts unreadable. */
function bodyOf(source: string): string {
  const at = source.search(/\r?\n\r?\n/);
  return at < 0 ? '' : source.slice(at).trim();
}

/** The header at the beginning of a mail; blank lines before it are skipped. */
export function headerOf(text: string): Field[] {
  return (fieldGroups(text.slice(0, MAX_PART_BYTES))[0] ?? []).map(([name, value]) => [name, decodeValue(value)]);
}

function decodeValue(value: string): string {
  try {
    return decodeWords(value.slice(0, 4000)).trim();
  } catch {
    return value.slice(0, 4000).trim();
  }
}

/** Mails from an mbox file begin with a line of that format. */
function withoutMboxLine(raw: Buffer): Buffer {
  if (!raw.subarray(0, 5).equals(Buffer.from('From '))) return raw;
  const end = raw.indexOf(0x0a);
  return end < 0 ? raw : raw.subarray(end + 1);
}

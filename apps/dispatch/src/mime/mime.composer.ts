import { hash } from 'node:crypto';
import type { Mail } from '@lettermill/events';
import { NOT_ASCII } from '../smtp/smtp.envelope';
import { addressField } from './mime.addresses';
import { fileParts, type FilePart, type LoadedAttachment } from './mime.attachments';
import type { MailBody } from './mime.body';
import { customHeaders, idField, textField } from './mime.headers';
import { FoldedLine } from './mime.lines';
import { addParameter } from './mime.parameters';
import { prepareText, writeText } from './mime.text';
import { MailWriter } from './mime.writer';

/** A mail with everything it refers to loaded. */
export interface LoadedMail extends Omit<Mail, 'text' | 'html' | 'attachments'> {
  text?: string;
  html?: string;
  attachments: LoadedAttachment[];
}

/** Occurs neither in base64 nor in quoted-printable, so that a boundary that begins with it cannot occur in encoded content. */
const BOUNDARY_MARK = '=_lm-';

type Part =
  | { text: string; subtype: 'plain' | 'html' }
  | { file: FilePart }
  | { multipart: 'alternative' | 'related' | 'mixed'; parts: Part[] };

/**
 * The bytes of a mail (RFC 5322, MIME). The same mail gives the same bytes: Message-ID, Date and part boundaries come from the event. Text
 * and html are alternatives; attachments whose `cid` the html refers to are related to it, the others are mixed. Throws only on a defect.
 */
export function composeMail(mail: LoadedMail): MailBody {
  const { inline, attached } = fileParts(mail.attachments, mail.html);
  const boundaries = new Boundaries(mail.message_id, mail.attachments);
  const writer = new MailWriter();
  writer.text(head(mail));
  const root = partTree(mail, inline, attached);
  // A mail must have a body: if it is empty, an empty line.
  writePart(writer, 'text' in root && root.text === '' ? { ...root, text: '\r\n' } : root, boundaries);
  writer.endLine();
  return writer.done();
}

function head(mail: LoadedMail): string {
  let head = addressField('From', [mail.from]) + addressField('To', [mail.to]);
  if (mail.cc.length > 0) head += addressField('Cc', mail.cc);
  if (mail.reply_to) head += addressField('Reply-To', [mail.reply_to]);
  head += textField('Subject', mail.subject);
  head += `Date: ${new Date(mail.date).toUTCString().replace('GMT', '+0000')}\r\n`;
  head += idField('Message-ID', mail.message_id);
  const custom = customHeaders(mail.headers);
  if (mail.in_reply_to !== undefined) {
    const inUtf8 = NOT_ASCII.test(head);
    head += idField('In-Reply-To', mail.in_reply_to, inUtf8);
    const given = custom.some(([name]) => name.toLowerCase() === 'references');
    // Exactly the same id: readers thread by comparing the two, and a blank may be part of a quoted id.
    if (!given) head += idField('References', mail.in_reply_to, inUtf8);
  }
  for (const [name, value] of custom) head += textField(name, value);
  return `${head}MIME-Version: 1.0\r\n`;
}

function partTree({ text, html }: LoadedMail, inline: FilePart[], attached: FilePart[]): Part {
  const files = attached.map((file): Part => ({ file }));
  const page: Part | undefined = html === undefined ? undefined : { text: html, subtype: 'html' };
  const shown = page && inline.length > 0 ? multipartOf('related', [page, ...inline.map((file) => ({ file }))]) : page;
  const plain: Part | undefined = text === undefined ? undefined : { text, subtype: 'plain' };
  const bodies = [plain, shown].filter((part) => part !== undefined);
  const body = bodies.length > 0 ? [multipartOf('alternative', bodies)] : [];
  const all = [...body, ...files];
  return all.length > 0 ? multipartOf('mixed', all) : { text: '', subtype: 'plain' };
}

/** A single part needs no multipart around it. */
function multipartOf(multipart: 'alternative' | 'related' | 'mixed', parts: Part[]): Part {
  return parts.length === 1 ? parts[0]! : { multipart, parts };
}

function writePart(writer: MailWriter, part: Part, boundaries: Boundaries): void {
  if ('text' in part) {
    const text = prepareText(part.text, BOUNDARY_MARK);
    writer.ascii(
      `Content-Type: text/${part.subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${text.encoding}\r\n\r\n`,
    );
    writeText(writer, text);
  } else if ('file' in part) {
    writeFile(writer, part.file);
  } else {
    const boundary = boundaries.next();
    const type = part.multipart === 'related' ? 'multipart/related; type="text/html"' : `multipart/${part.multipart}`;
    writer.ascii(`Content-Type: ${type};\r\n boundary="${boundary}"\r\n`);
    for (const child of part.parts) {
      writer.ascii(`\r\n--${boundary}\r\n`);
      writePart(writer, child, boundaries);
    }
    writer.ascii(`\r\n--${boundary}--\r\n`);
  }
}

function writeFile(writer: MailWriter, file: FilePart): void {
  const type = new FoldedLine('Content-Type');
  type.addToken(file.type);
  for (const one of file.parameters) {
    type.glue(';');
    type.addToken(one);
  }
  addParameter(type, 'name', file.fileName);
  const disposition = new FoldedLine('Content-Disposition');
  disposition.addToken(file.disposition);
  addParameter(disposition, 'filename', file.fileName);
  const id = file.cid === undefined ? '' : idField('Content-ID', `<${file.cid}>`);
  writer.text(`${type.text}\r\n${id}Content-Transfer-Encoding: ${file.encoding}\r\n${disposition.text}\r\n\r\n`);
  if (file.bytes.length > 0) writer.piece(file.encoding === 'base64' ? { base64: file.bytes } : file.bytes);
}

/** The boundaries of one mail, the same each time it is composed; none occurs in a file that is sent unencoded. */
class Boundaries {
  private readonly base: string;
  private count = 0;

  constructor(messageId: string, attachments: readonly LoadedAttachment[]) {
    let base = digest(messageId);
    while (attachments.some((one) => /^message\//i.test(one.content_type) && one.bytes.includes(base)))
      base = digest(base);
    this.base = base;
  }

  next(): string {
    this.count += 1;
    return `${BOUNDARY_MARK}${this.base}-Part_${this.count}`;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 24);
}

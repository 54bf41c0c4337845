import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type MimeNode from 'nodemailer/lib/mime-node';
import * as qp from 'nodemailer/lib/qp';
import type { Address, Mail } from '@lettermill/events';
import { attachmentParts } from './mime.attachments';
import { MailBody, type Piece } from './mime.body';
import { customHeaders, spelling } from './mime.headers';

/** A mail with all that it refers to at hand. */
export interface LoadedMail extends Omit<Mail, 'text' | 'html' | 'attachments'> {
  text?: string;
  html?: string;
  attachments: LoadedAttachment[];
}

export interface LoadedAttachment {
  file_name: string;
  content_type: string;
  cid?: string;
  bytes: Buffer;
}

/** Never a string: a string would be parsed, and could become other addresses than were accepted. */
const mailbox = ({ email, name }: Address): { address: string; name: string } => ({ address: email, name: name ?? '' });
const crlf = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');

/**
 * The bytes of a mail (RFC 5322, MIME). The same mail gives the same bytes: Message-ID, Date and part boundaries come from
 * the event. Text and html are alternatives; attachments whose `cid` the html refers to are related to it, the others are
 * mixed beside. Nothing is read from files or addresses. Throws only on a defect.
 */
export function composeMail(mail: LoadedMail): MailBody {
  const { inline, attached } = attachmentParts(mail.attachments, mail.html);
  const composer = new MailComposer({
    from: mailbox(mail.from),
    to: [mailbox(mail.to)],
    cc: mail.cc.length > 0 ? mail.cc.map(mailbox) : undefined,
    replyTo: mail.reply_to ? [mailbox(mail.reply_to)] : undefined,
    inReplyTo: mail.in_reply_to,
    references: hasReferences(mail) ? undefined : mail.in_reply_to,
    subject: mail.subject,
    messageId: mail.message_id,
    date: new Date(mail.date),
    headers: customHeaders(mail.headers),
    normalizeHeaderKey: spelling(mail.headers),
    text: mail.text === undefined ? undefined : crlf(mail.text),
    html: mail.html === undefined ? undefined : crlf(mail.html),
    attachments: [...inline, ...attached],
    boundaryPrefix: '=_lm',
    baseBoundary: createHash('sha256').update(mail.message_id).digest('hex').slice(0, 24),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const pieces: (string | Piece)[] = [];
  write(composer.compile(), pieces);
  return MailBody.of(pieces);
}

function hasReferences(mail: LoadedMail): boolean {
  return mail.headers.some(([name]) => name.toLowerCase() === 'references');
}

/**
 * Writes a node out as `MimeNode.createReadStream` does, but at once and with attachments left as they are: the streams of the
 * library cost more than all the rest of composing.
 */
function write(node: MimeNode, pieces: (string | Piece)[]): void {
  const encoding = node.getTransferEncoding();
  pieces.push(`${node.buildHeaders()}\r\n\r\n`);
  pieces.push(content(node.content as string | Buffer | undefined, encoding));
  node.childNodes.forEach((child, index) => {
    pieces.push(`${index > 0 ? '\r\n' : ''}--${String(node.boundary)}\r\n`);
    write(child, pieces);
  });
  if (node.childNodes.length > 0) pieces.push(`\r\n--${String(node.boundary)}--\r\n`);
  else if (!node.parentNode && !endsLine(pieces.at(-1))) pieces.push('\r\n');
}

function endsLine(piece: string | Piece | undefined): boolean {
  return typeof piece !== 'string' || piece.endsWith('\r\n');
}

function content(value: string | Buffer | undefined, encoding: string | false | undefined): string | Piece {
  if (value === undefined || value.length === 0) return '';
  if (encoding === 'base64') return { base64: Buffer.isBuffer(value) ? value : Buffer.from(value) };
  return encoding === 'quoted-printable' ? qp.wrap(qp.encode(value)) : value;
}

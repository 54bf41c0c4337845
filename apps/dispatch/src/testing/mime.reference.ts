import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { LoadedMail } from '../mime/mime.composer';
import { fileParts, type FilePart } from '../mime/mime.attachments';

const crlf = (text: string | undefined): string | undefined => text?.replace(/\r\n|\r|\n/g, '\r\n');
const mailbox = ({ email, name }: { email: string; name?: string }) => ({ address: email, name: name ?? '' });

function partOf({ fileName, type, parameters, bytes, encoding, disposition, cid }: FilePart): object {
  return {
    filename: fileName,
    contentType: [type, ...parameters].join('; '),
    content: bytes,
    contentDisposition: disposition,
    contentTransferEncoding: encoding,
    ...(disposition === 'inline' ? { cid } : cid === undefined ? {} : { headers: { 'Content-Id': `<${cid}>` } }),
  };
}

/** The same mail as another library writes it. */
export function referenceMail(mail: LoadedMail): Promise<Buffer> {
  const { inline, attached } = fileParts(mail.attachments, mail.html);
  const given = new Map(mail.headers.map(([name]) => [name.toLowerCase(), name]));
  const composer = new MailComposer({
    from: mailbox(mail.from),
    to: [mailbox(mail.to)],
    cc: mail.cc.length > 0 ? mail.cc.map(mailbox) : undefined,
    replyTo: mail.reply_to ? [mailbox(mail.reply_to)] : undefined,
    inReplyTo: mail.in_reply_to,
    references: mail.in_reply_to,
    subject: mail.subject,
    messageId: mail.message_id,
    date: new Date(mail.date),
    headers: mail.headers.map(([key, value]) => ({ key, value })),
    normalizeHeaderKey: (key: string) => given.get(key.toLowerCase()) ?? key,
    text: crlf(mail.text),
    html: crlf(mail.html),
    attachments: [...inline, ...attached].map(partOf),
    baseBoundary: createHash('sha256').update(mail.message_id).digest('hex'),
  });
  return composer.compile().build();
}

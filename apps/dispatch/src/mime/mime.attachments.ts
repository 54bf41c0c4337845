import type { LoadedAttachment } from './mime.composer';

/** A part as nodemailer's MailComposer takes it; content is always at hand, never a place to read from. */
export interface AttachmentPart {
  filename: string;
  contentType: string;
  content: Buffer;
  contentDisposition: 'inline' | 'attachment';
  contentTransferEncoding: 'base64' | '7bit';
  cid?: string;
  headers?: Record<string, string>;
}

const TOKEN = "[A-Za-z0-9!#$&^_.+'*%`|~-]{1,80}";
const PARAMETER = `;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\u0000-\\u001f\\u007f-\\uffff]{0,100}")\\s*`;
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}\\s*(?:${PARAMETER}){0,5}$`);
const UNKNOWN_TYPE = 'application/octet-stream';
const CID = /cid:([A-Za-z0-9._~-]{1,128})/gi;
const MAX_LINE = 998;

/** Splits attachments into those that the html shows and those that lie beside it. */
export function attachmentParts(
  attachments: readonly LoadedAttachment[],
  html: string | undefined,
): { inline: AttachmentPart[]; attached: AttachmentPart[] } {
  const shown = new Set(attachments.some(({ cid }) => cid) ? cidsIn(html ?? '') : []);
  const inline: AttachmentPart[] = [];
  const attached: AttachmentPart[] = [];
  for (const attachment of attachments) {
    const { cid } = attachment;
    const part = partOf(attachment);
    if (cid !== undefined && shown.has(cid)) inline.push({ ...part, cid, contentDisposition: 'inline' });
    else attached.push(cid === undefined ? part : { ...part, headers: { 'Content-Id': `<${cid}>` } });
  }
  return { inline, attached };
}

function cidsIn(html: string): string[] {
  // A full stop or dash may end a sentence rather than the id: both readings count.
  return [...html.matchAll(CID)].flatMap(([, cid]) => [cid!, cid!.replace(/[.~-]+$/, '')]);
}

/**
 * A part's bytes arrive unchanged: base64, and since `message/*` must not be encoded (RFC 2046 section 5.2.1), such a part keeps its
 * type only where it survives as it is. `multipart/*` and what is no media type go as bytes of no known type.
 */
function partOf({ file_name: filename, content_type: type, bytes: content }: LoadedAttachment): AttachmentPart {
  const plain = { filename, content, contentDisposition: 'attachment' as const };
  if (!CONTENT_TYPE.test(type) || /^multipart\//i.test(type)) {
    return { ...plain, contentType: UNKNOWN_TYPE, contentTransferEncoding: 'base64' };
  }
  if (!/^message\//i.test(type)) return { ...plain, contentType: type, contentTransferEncoding: 'base64' };
  return survivesAsIs(content)
    ? { ...plain, contentType: type, contentTransferEncoding: '7bit' }
    : { ...plain, contentType: UNKNOWN_TYPE, contentTransferEncoding: 'base64' };
}

/** ASCII in lines of 998 at most, each ended by CRLF, the last one too. */
function survivesAsIs(bytes: Buffer): boolean {
  let length = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === 0 || byte > 127) return false;
    if (byte === 0x0a) return false;
    if (byte === 0x0d) {
      if (bytes[i + 1] !== 0x0a) return false;
      i += 1;
      length = 0;
    } else if ((length += 1) > MAX_LINE) return false;
  }
  return bytes.length > 0 && length === 0;
}

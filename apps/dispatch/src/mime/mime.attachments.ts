import { isAscii, isUtf8 } from 'node:buffer';
import { UNKNOWN_MEDIA_TYPE, parseMediaType, type MediaType } from '@lettermill/contract';
import { MAX_LINE_LENGTH } from './mime.lines';

/** A file of a mail, with its bytes. */
export interface LoadedAttachment {
  file_name: string;
  content_type: string;
  cid?: string;
  bytes: Buffer;
}

/** A file as a part of the mail. */
export interface FilePart extends MediaType {
  fileName: string;
  bytes: Buffer;
  /** `7bit` if the type forbids an encoding. */
  encoding: 'base64' | '7bit';
  disposition: 'inline' | 'attachment';
  cid?: string;
}

/** Parameters with the name of the file: we add these ourselves, once. */
const NAME_PARAMETER = /^(?:file)?name\b/i;
/** In any form of RFC 2231: `charset=`, `charset*=`, `charset*0=`. */
const CHARSET_PARAMETER = /^charset[*=]/i;
const CID_REFERENCE = /cid:([A-Za-z0-9._~-]{1,128})/gi;

/** Splits attachments into those that the html shows and the others. */
export function fileParts(
  attachments: readonly LoadedAttachment[],
  html: string | undefined,
): { inline: FilePart[]; attached: FilePart[] } {
  const shown = new Set(attachments.some(({ cid }) => cid) ? cidsIn(html ?? '') : []);
  const inline: FilePart[] = [];
  const attached: FilePart[] = [];
  for (const attachment of attachments) {
    const { cid } = attachment;
    const part: FilePart = { ...partOf(attachment), ...(cid === undefined ? {} : { cid }) };
    if (cid !== undefined && shown.has(cid)) inline.push({ ...part, disposition: 'inline' });
    else attached.push(part);
  }
  return { inline, attached };
}

function cidsIn(html: string): string[] {
  // A full stop or dash may end a sentence instead of belonging to the id: both readings count.
  return [...html.matchAll(CID_REFERENCE)].flatMap(([, cid]) => [cid!, cid!.replace(/[.~-]+$/, '')]);
}

/**
 * A part's bytes must arrive unchanged, so they are base64. As `message/*` must not be encoded (RFC 2046 section 5.2.1), such a part keeps
 * its type only if it survives unencoded. `multipart/*` and invalid media types are sent as bytes of unknown type.
 */
function partOf({ file_name: fileName, content_type: contentType, bytes }: LoadedAttachment): FilePart {
  const mediaType = parseMediaType(contentType);
  const isMessage = /^message\//i.test(contentType);
  const known = mediaType && !/^multipart\//i.test(mediaType.type) && (!isMessage || survivesUnencoded(bytes));
  const part = { fileName, bytes, disposition: 'attachment' as const };
  if (!known) return { ...part, type: UNKNOWN_MEDIA_TYPE, parameters: [], encoding: 'base64' };
  const stated = mediaType.parameters.filter((parameter) => !NAME_PARAMETER.test(parameter));
  const parameters = lacksCharset(mediaType, bytes) ? [...stated, 'charset=utf-8'] : stated;
  return { ...part, type: mediaType.type, parameters, encoding: isMessage ? '7bit' : 'base64' };
}

/**
 * Whether a text is UTF-8 although its type names no charset. Where types come from (file names, HTTP), that leaves the charset open; in a
 * mail it means ASCII (RFC 2046 section 4.1.2), and readers replace all other characters.
 */
function lacksCharset({ type, parameters }: MediaType, bytes: Buffer): boolean {
  if (!/^text\//i.test(type) || parameters.some((parameter) => CHARSET_PARAMETER.test(parameter))) return false;
  return !isAscii(bytes) && isUtf8(bytes);
}

/** Whether it is ASCII in lines of at most 998 characters, each ended by CRLF, including the last. */
function survivesUnencoded(bytes: Buffer): boolean {
  let length = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === 0 || byte > 127) return false;
    if (byte === 0x0a) return false;
    if (byte === 0x0d) {
      if (bytes[i + 1] !== 0x0a) return false;
      i += 1;
      length = 0;
    } else if ((length += 1) > MAX_LINE_LENGTH) return false;
  }
  return bytes.length > 0 && length === 0;
}

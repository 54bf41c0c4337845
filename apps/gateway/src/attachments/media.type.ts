import { UNKNOWN_MEDIA_TYPE, parseMediaType, mediaTypeOf, mediaTypeByName } from '@lettermill/contract';
import { fileTypeFromBuffer } from 'file-type/core';

/** Media type of a part without a Content-Type (RFC 7578 4.4); many clients leave it out. */
const DEFAULT_PART_TYPE = 'text/plain';
/** Media types that servers send for files of which they know nothing. */
const UNINFORMATIVE_TYPES = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'application/force-download',
]);

/** A message may have a thousand files, and the events carry the type of each. */
const MAX_TYPE_LENGTH = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The Content-Type as given if it is valid as a whole, else without its parameters; undefined if it is not a media type. */
export function statedMediaType(stated = ''): string | undefined {
  const isPassedOn = stated.length <= MAX_TYPE_LENGTH && !CONTROL.test(stated);
  if (isPassedOn && parseMediaType(stated)?.parameters.length) return stated;
  return parseMediaType(stated.split(';')[0]!.trim().toLowerCase())?.type;
}

/**
 * The media type of an uploaded file: the one its part states, with parameters; else the one its name suggests. If the part states none and
 * the name suggests none, it is text (RFC 7578 4.4).
 */
export function uploadType(stated: string | undefined, fileName: string): string {
  const type = statedMediaType(stated);
  if (type !== undefined) return type;
  return mediaTypeByName(fileName) ?? (stated === undefined ? DEFAULT_PART_TYPE : UNKNOWN_MEDIA_TYPE);
}

/** What the first bytes of a file reveal. */
export interface FileHead {
  /** The type whose files begin with these bytes; some texts begin so, too. */
  mediaType: string | undefined;
  /** Whether they contain no byte that a text would not have. */
  isText: boolean;
}

/**
 * The media type of a fetched file: the one its server states, with parameters. If the server states none, or `text/…` for a file that is
 * not text, the name decides, and then the content.
 */
export function fetchedType(stated: string | undefined, head: FileHead, fileName: string): string {
  const type = stated?.replace(/[\s;].*$/s, '').toLowerCase() ?? UNKNOWN_MEDIA_TYPE;
  if (!UNINFORMATIVE_TYPES.has(type) && (head.isText || !type.startsWith('text/'))) return stated!;
  const byName = mediaTypeOf(fileName);
  return byName === UNKNOWN_MEDIA_TYPE ? (head.mediaType ?? byName) : byName;
}

/** How many bytes the detection of a type reads. */
const HEAD_BYTES = 4100;
/** Control characters except tab, line ends, form feed and escape. */
const BINARY_CHARACTER = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/** Passes the bytes through and keeps the first ones. */
export function sniffed(source: AsyncIterable<Buffer>): {
  bytes: AsyncIterable<Buffer>;
  /** Call it after the bytes were read. */
  head(): Promise<FileHead>;
} {
  let first = Buffer.alloc(0);
  const bytes = async function* () {
    for await (const chunk of source) {
      if (first.length < HEAD_BYTES) first = Buffer.concat([first, chunk]).subarray(0, HEAD_BYTES);
      yield chunk;
    }
  };
  const head = async () => ({
    mediaType: (await fileTypeFromBuffer(first))?.mime,
    isText: !BINARY_CHARACTER.test(first.toString('latin1')),
  });
  return { bytes: bytes(), head };
}

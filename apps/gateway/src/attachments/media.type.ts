import { ANY_TYPE, mediaTypeIn, mediaTypeOf, typeByName } from '@lettermill/contract';
import { fileTypeFromBuffer } from 'file-type/core';

/** Of a part that has no Content-Type (RFC 7578 4.4), as many clients leave it out. */
const UNTOLD = 'text/plain';
/** What servers say of files that they know nothing of. */
const SAYS_NOTHING = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'application/force-download',
]);

/** A message may have a thousand files, and each type rides in its events. */
const LONGEST = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A Content-Type as it was said where all of it can be used, else without parameters; undefined where it is none. */
export function mediaTypeTold(header = ''): string | undefined {
  const told = header.trim();
  const rides = told.length <= LONGEST && !CONTROL.test(told);
  if (rides && mediaTypeIn(told)?.parameters.length) return told;
  return mediaTypeIn(told.split(';')[0]!.trim().toLowerCase())?.type;
}

/**
 * The media type of an uploaded file: what its part says, with its parameters; else what its name tells. A part that says nothing is
 * text where its name tells nothing (RFC 7578 4.4).
 */
export function uploadType(told: string | undefined, fileName: string): string {
  const type = mediaTypeTold(told);
  if (type !== undefined) return type;
  return typeByName(fileName) ?? (told === undefined ? UNTOLD : ANY_TYPE);
}

/** What the first bytes of a file tell. */
export interface Head {
  /** Where they begin as files of that type do; so do some texts. */
  mediaType: string | undefined;
  /** No byte in them that texts don't have. */
  isText: boolean;
}

/**
 * The media type of a fetched file: what its server says, with its parameters; where that is nothing, or «text» of what is none, what its
 * name says, and then its content.
 */
export function fetchedType(told: string | undefined, head: Head, fileName: string): string {
  const type = told?.replace(/[\s;].*$/s, '').toLowerCase() ?? ANY_TYPE;
  if (!SAYS_NOTHING.has(type) && (head.isText || !type.startsWith('text/'))) return told!;
  const byName = mediaTypeOf(fileName);
  return byName === ANY_TYPE ? (head.mediaType ?? byName) : byName;
}

/** As much of a file as its kind is told by. */
const HEAD_BYTES = 4100;
/** Control characters, but for tab, line ends, form feed and escape. */
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/** Passes bytes on and keeps the first ones. */
export function sniffed(source: AsyncIterable<Buffer>): {
  bytes: AsyncIterable<Buffer>;
  /** After the bytes were read. */
  head(): Promise<Head>;
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
    isText: !BINARY.test(first.toString('latin1')),
  });
  return { bytes: bytes(), head };
}

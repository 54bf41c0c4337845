import { ANY_TYPE, mediaTypeOf } from '@lettermill/contract';
import { fileTypeFromBuffer } from 'file-type/core';

/** What a part says that has no Content-Type (RFC 7578 4.4), as many clients leave it out. */
const UNTOLD = 'text/plain';

/** The media type of an uploaded file: what its part says, unless that is the default and the name tells of something else than text. */
export function uploadType(told: string | undefined, fileName: string): string {
  const byName = mediaTypeOf(fileName);
  if (told !== UNTOLD) return told ?? byName;
  return byName === ANY_TYPE || byName.startsWith('text/') ? UNTOLD : byName;
}

/** As much of a file as its kind is told by. */
const HEAD_BYTES = 4100;

/** Passes bytes on and keeps the first ones, which tell better than a server's word what the file is. */
export function sniffed(source: AsyncIterable<Buffer>): {
  bytes: AsyncIterable<Buffer>;
  /** After the bytes were read: the media type, where the content gives it away. */
  mediaType(): Promise<string | undefined>;
} {
  let head = Buffer.alloc(0);
  const bytes = async function* () {
    for await (const chunk of source) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
      yield chunk;
    }
  };
  return { bytes: bytes(), mediaType: async () => (await fileTypeFromBuffer(head))?.mime };
}

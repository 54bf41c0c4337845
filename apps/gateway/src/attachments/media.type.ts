import { fileTypeFromBuffer } from 'file-type/core';

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

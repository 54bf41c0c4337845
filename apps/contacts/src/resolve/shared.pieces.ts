import type { MessageRequested } from '@lettermill/events';
import { sharedRef } from './shared.contents';

/** Bytes of blobs that are read and parsed at a time. */
const MAX_BLOB_BYTES_PER_PIECE = 2 * 1024 * 1024;

/**
 * Splits the messages, in order, into pieces whose shared parts fit into memory together: each message may have its own, which is a few
 * bytes in the record and many in its blob.
 */
export function splitBySharedSize<T extends { data: MessageRequested }>(messages: T[]): T[][] {
  const pieces: T[][] = [];
  const blobs = new Set<string>();
  let piece: T[] = [];
  let bytes = 0;
  for (const message of messages) {
    const ref = sharedRef(message.data);
    const addedBytes = ref && !blobs.has(ref.blob) ? ref.size : 0;
    if (piece.length > 0 && addedBytes > 0 && bytes + addedBytes > MAX_BLOB_BYTES_PER_PIECE) {
      pieces.push(piece);
      piece = [];
      blobs.clear();
      bytes = 0;
    }
    piece.push(message);
    if (ref) blobs.add(ref.blob);
    bytes += addedBytes;
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}

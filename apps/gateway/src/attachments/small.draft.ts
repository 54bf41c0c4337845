import { createHash } from 'node:crypto';
import type { BlobDraft, BlobStore } from '@lettermill/blobs';

/**
 * Files up to this size are held in memory: 1,024 tiny parts then need 4 MiB of memory instead of 1,024 files that are synced one by one.
 */
const MAX_BYTES_IN_MEMORY = 4096;

/** Makes a draft of the content: in memory if it is small, else in the store. */
export async function draftOf(
  accountId: string,
  content: AsyncGenerator<Buffer>,
  blobs: BlobStore,
): Promise<BlobDraft> {
  const chunks: Buffer[] = [];
  let size = 0;
  while (size <= MAX_BYTES_IN_MEMORY) {
    const { done, value } = await content.next();
    if (done) return smallDraft(accountId, Buffer.concat(chunks), blobs);
    chunks.push(value);
    size += value.length;
  }
  return blobs.draft(accountId, continued(chunks, content));
}

async function* continued(begun: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* begun;
  yield* rest;
}

function smallDraft(accountId: string, bytes: Buffer, blobs: BlobStore): BlobDraft {
  return {
    blob: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    read: () => Promise.resolve(bytes),
    commit: async () => void (await blobs.put(accountId, bytes)),
    discard: () => Promise.resolve(),
  };
}

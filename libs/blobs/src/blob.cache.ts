import { webcrypto } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BlobStore, StoredBlob } from './blob.port';

/**
 * What an entry takes besides the bytes that it was made of: its key, promise and buffer. Measured with small files, each of another
 * content: without it, hundreds of thousands of them would fit, and take many times the limit.
 */
export const ENTRY_BYTES = 1_024;

/** A blob that is referred to is not in the store, and trying again will not find it. */
export class ContentLost extends Error {
  readonly code = 'content_lost';
  readonly retryable = false;
  constructor(blob: string) {
    super(`Stored content ${blob} is gone.`);
  }
}

/** A blob is there, but is not what was stored: without this, half a file, or another, would be sent as if it were right. It may be restored. */
export class ContentDamaged extends Error {
  readonly code = 'content_damaged';
  readonly retryable = false;
  constructor({ blob, size }: StoredBlob, found: number) {
    const damage = found === size ? 'its bytes have changed' : `it has ${found} bytes instead of ${size}`;
    super(`Stored content ${blob} is damaged: ${damage}.`);
  }
}

/** Whether these bytes are what was stored as this blob. Hashed by another thread: 10 MB take 20 ms. */
async function isContentOf({ blob, size }: StoredBlob, bytes: Buffer): Promise<boolean> {
  if (bytes.length !== size) return false;
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex') === blob;
}

/**
 * Caches what is made of blobs, as many messages refer to the same one. Each is read once, and callers that ask
 * meanwhile wait for the same reading. Its result is shared, so it is read-only.
 */
export class BlobCache<T> {
  private readonly cache: LRUCache<string, { reading: Promise<T | undefined> }>;

  /** `maxBytes` limits the cache, entries included; `sizeOf` tells the size of a reading from the bytes that it was made of. */
  constructor(
    private readonly blobs: Pick<BlobStore, 'get'>,
    private readonly parse: (bytes: Buffer) => T,
    maxBytes: number,
    private readonly sizeOf: (bytes: Buffer) => number = (bytes) => bytes.length,
  ) {
    this.cache = new LRUCache({ maxSize: maxBytes });
  }

  /** Undefined if the account no longer has such a blob; rejects with `ContentDamaged`. A reading that failed or found nothing is not kept. */
  get(accountId: string, ref: StoredBlob): Promise<T | undefined> {
    const { blob, size } = ref;
    const key = `${accountId}\n${blob}`;
    const known = this.cache.get(key);
    if (known) return known.reading;
    const found = this.read(accountId, ref);
    const reading = found.then((bytes) => bytes && this.parse(bytes));
    const entry = { reading };
    this.cache.set(key, entry, { size: ENTRY_BYTES + size });
    const forget = () => void this.cache.delete(key);
    const weighed = (bytes: Buffer | undefined) => {
      if (!bytes) forget();
      // It takes another size only with another entry.
      else if (this.cache.peek(key) === entry)
        this.cache.set(key, { reading }, { size: ENTRY_BYTES + this.sizeOf(bytes) });
    };
    found.then(weighed, forget);
    reading.catch(forget);
    return reading;
  }

  /** As `get`, but rejects with `ContentLost` if there is no such blob any more. */
  async getOrThrow(accountId: string, ref: StoredBlob): Promise<T> {
    const reading = await this.get(accountId, ref);
    if (reading === undefined) throw new ContentLost(ref.blob);
    return reading;
  }

  private async read(accountId: string, ref: StoredBlob): Promise<Buffer | undefined> {
    const bytes = await this.blobs.get(accountId, ref.blob);
    if (bytes && !(await isContentOf(ref, bytes))) throw new ContentDamaged(ref, bytes.length);
    return bytes;
  }
}

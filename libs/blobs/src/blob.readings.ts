import { LRUCache } from 'lru-cache';
import type { BlobStore, StoredBlob } from './blob.port';

/** A blob that is referred to is not in the store: no later try will find it either. */
export class ContentLost extends Error {
  readonly code = 'content_lost';
  readonly retryable = false;
  constructor(readonly blob: string) {
    super(`Stored content ${blob} is gone.`);
  }
}

/**
 * What was made of blobs, kept at hand: many messages name the same one. Each is read once, and those who ask meanwhile wait for the
 * same reading. What it gives is shared, so it is read-only.
 */
export class BlobReadings<T> {
  private readonly kept: LRUCache<string, Promise<T | undefined>>;

  /** `keptBytes`: of the readings, as `weigh` has it of the bytes that each was made of. */
  constructor(
    private readonly blobs: Pick<BlobStore, 'get'>,
    private readonly make: (bytes: Buffer) => T,
    keptBytes: number,
    private readonly weigh: (bytes: Buffer) => number = (bytes) => bytes.length,
  ) {
    this.kept = new LRUCache({ maxSize: keptBytes });
  }

  /** Undefined where the account has no such blob any more. A reading that failed or found nothing is made anew. */
  of(accountId: string, { blob, size }: StoredBlob): Promise<T | undefined> {
    const key = `${accountId}\n${blob}`;
    const known = this.kept.get(key);
    if (known) return known;
    const found = this.blobs.get(accountId, blob);
    const reading = found.then((bytes) => bytes && this.make(bytes));
    this.kept.set(key, reading, { size: size + 1 });
    const forget = () => void this.kept.delete(key);
    const weighed = (bytes: Buffer | undefined) => {
      if (!bytes) forget();
      else if (this.kept.peek(key) === reading) this.kept.set(key, reading, { size: this.weigh(bytes) + 1 });
    };
    found.then(weighed, forget);
    reading.catch(forget);
    return reading;
  }

  /** As `of`, but rejects with `ContentLost` where there is no such blob any more. */
  async must(accountId: string, ref: StoredBlob): Promise<T> {
    const reading = await this.of(accountId, ref);
    if (reading === undefined) throw new ContentLost(ref.blob);
    return reading;
  }
}

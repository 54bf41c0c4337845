import { LRUCache } from 'lru-cache';
import type { BlobStore, StoredBlob } from './blob.port';

/**
 * What was made of blobs, kept at hand: many messages name the same one. Each is read once, and those who ask meanwhile wait for the
 * same reading. What it gives is shared, so it is read-only.
 */
export class BlobReadings<T> {
  private readonly kept: LRUCache<string, Promise<T | undefined>>;

  /** `keptBytes`: of the blobs that the readings were made of. */
  constructor(
    private readonly blobs: Pick<BlobStore, 'get'>,
    private readonly make: (bytes: Buffer) => T,
    keptBytes: number,
  ) {
    this.kept = new LRUCache({ maxSize: keptBytes });
  }

  /** Undefined where the account has no such blob any more. A reading that failed or found nothing is made anew. */
  of(accountId: string, { blob, size }: StoredBlob): Promise<T | undefined> {
    const key = `${accountId}\n${blob}`;
    const known = this.kept.get(key);
    if (known) return known;
    const reading = this.read(accountId, blob);
    this.kept.set(key, reading, { size: size + 1 });
    const forget = () => this.kept.delete(key);
    reading.then((made) => made === undefined && forget(), forget);
    return reading;
  }

  private async read(accountId: string, blob: string): Promise<T | undefined> {
    const bytes = await this.blobs.get(accountId, blob);
    return bytes && this.make(bytes);
  }
}

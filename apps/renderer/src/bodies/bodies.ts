import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore, type Keep } from '@lettermill/blobs';
import { ridesInline, type BlobRef, type Body, type Shared } from '@lettermill/events';
import { LRUCache } from 'lru-cache';

const CACHE_BYTES = 32 * 1024 * 1024;

/** What an event refers to is not in the blob store: to try again is of no use. */
export class ContentLost extends Error {
  readonly code = 'content_lost';
  readonly retryable = false;
  constructor(readonly blob: string) {
    super(`the blob ${blob.slice(0, 8)}… is gone`);
  }
}

/** Large texts, in and out of the blob store. What the recipients of a request share is read once. */
@Injectable()
export class Bodies {
  private readonly texts = new LRUCache<string, Promise<string>>({ maxSize: CACHE_BYTES });
  private readonly shared = new LRUCache<string, Promise<Shared>>({ maxSize: CACHE_BYTES });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** The text itself, or a reference to it where it is large. */
  async store(accountId: string, text: string, keep?: Keep): Promise<Body> {
    if (ridesInline(text)) return text;
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(text), keep);
    return { blob, size };
  }

  /** Rejects with `ContentLost`. */
  async text(accountId: string, body: Body): Promise<string> {
    if (typeof body === 'string') return body;
    return once(this.texts, accountId, body, () => this.read(accountId, body));
  }

  /** The part of a request that its recipients share. Rejects with `ContentLost`. */
  async sharedPart(accountId: string, part: BlobRef | Shared | undefined): Promise<Shared> {
    if (!part || !('blob' in part)) return part ?? {};
    return once(this.shared, accountId, part, async () => JSON.parse(await this.read(accountId, part)) as Shared);
  }

  private async read(accountId: string, { blob }: BlobRef): Promise<string> {
    const bytes = await this.blobs.get(accountId, blob);
    if (!bytes) throw new ContentLost(blob);
    return bytes.toString('utf8');
  }
}

/** From the cache, or read now: those who ask meanwhile wait for the same reading. A failed one is not kept. */
function once<T extends object | string>(
  cache: LRUCache<string, Promise<T>>,
  accountId: string,
  { blob, size }: BlobRef,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${accountId}\n${blob}`;
  const known = cache.get(key);
  if (known) return known;
  const reading = read();
  cache.set(key, reading, { size: size + 1 });
  reading.catch(() => cache.delete(key));
  return reading;
}

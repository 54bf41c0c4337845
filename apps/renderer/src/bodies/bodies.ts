import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, BlobCache, type BlobStore, type BlobLifetime } from '@lettermill/blobs';
import { jsonWeight } from '@lettermill/contract';
import { fitsInEvent, type BlobRef, type Body, type Shared } from '@lettermill/events';

/** Bytes of recently read content kept in memory: this much for texts, and this much for shared parts. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Reads and stores large texts in the blob store. What the recipients of a request share is read only once. */
@Injectable()
export class Bodies {
  private readonly texts: BlobCache<string>;
  private readonly shared: BlobCache<Shared>;

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {
    this.texts = new BlobCache(blobs, (bytes) => bytes.toString('utf8'), CACHE_BYTES);
    this.shared = new BlobCache(blobs, withoutProfile, CACHE_BYTES, jsonWeight);
  }

  /** The text itself, or a reference to a blob if it is large. */
  async store(accountId: string, text: string, keep?: BlobLifetime): Promise<Body> {
    if (fitsInEvent(text)) return text;
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(text), keep);
    return { blob, size };
  }

  /** Rejects with `ContentLost`. */
  async text(accountId: string, body: Body): Promise<string> {
    return typeof body === 'string' ? body : this.texts.getOrThrow(accountId, body);
  }

  /** The part of a request that its recipients share. Rejects with `ContentLost`. */
  async sharedPart(accountId: string, part: BlobRef | Shared | undefined): Promise<Shared> {
    if (!part || !('blob' in part)) return part ?? {};
    return this.shared.getOrThrow(accountId, part);
  }
}

/** The profile data has been merged into the contact already. */
function withoutProfile(bytes: Buffer): Shared {
  const { profile_data: _merged, ...needed } = JSON.parse(bytes.toString('utf8')) as Shared;
  return needed;
}

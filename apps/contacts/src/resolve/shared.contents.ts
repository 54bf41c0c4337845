import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, BlobCache, type BlobStore } from '@lettermill/blobs';
import { jsonWeight } from '@lettermill/contract';
import type { BlobRef, MessageRequested, Shared } from '@lettermill/events';

/** Shared parts kept in memory: the records of one request lie close together. */
const CACHE_BYTES = 8 * 1024 * 1024;

function isRef(shared: BlobRef | Shared): shared is BlobRef {
  return Object.hasOwn(shared, 'blob');
}

/** The blob that holds a message's shared part; undefined if it is inline in the event or there is none. */
export function sharedRef({ shared }: MessageRequested): BlobRef | undefined {
  return shared && isRef(shared) ? shared : undefined;
}

/** Reads what the recipients of a request share, from the event or its blob. The results must not be modified. */
@Injectable()
export class SharedContents {
  private readonly readings: BlobCache<Shared>;

  constructor(@Inject(BLOB_STORE) blobs: BlobStore) {
    const make = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as Shared;
    this.readings = new BlobCache(blobs, make, CACHE_BYTES, jsonWeight);
  }

  /** One entry per message, in order; each blob is read once. `lost` if the blob no longer exists. */
  load(messages: MessageRequested[]): Promise<(Shared | 'lost' | undefined)[]> {
    return Promise.all(
      messages.map(async (message) => {
        const ref = sharedRef(message);
        if (!ref) return message.shared as Shared | undefined;
        return (await this.readings.get(message.account_id, ref)) ?? 'lost';
      }),
    );
  }
}

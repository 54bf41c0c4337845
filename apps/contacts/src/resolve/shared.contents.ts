import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import type { BlobRef, MessageRequested, Shared } from '@lettermill/events';
import { LRUCache } from 'lru-cache';

/** Bytes of shared parts kept at hand: the records of one request lie close together. */
const KEPT_BYTES = 8 * 1024 * 1024;

function isRef(shared: BlobRef | Shared): shared is BlobRef {
  return Object.hasOwn(shared, 'blob');
}

/** The blob that a message's shared part lies in, if it does not ride in the event. */
export function sharedRef({ shared }: MessageRequested): BlobRef | undefined {
  return shared && isRef(shared) ? shared : undefined;
}

/** What the recipients of a request share, wherever it lies. What it gives is read-only. */
@Injectable()
export class SharedContents {
  private readonly kept = new LRUCache<string, Shared>({ maxSize: KEPT_BYTES, maxEntrySize: KEPT_BYTES });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** One entry per message, in order; each blob is fetched once. `lost` where there is no such blob any more. */
  async of(messages: MessageRequested[]): Promise<(Shared | 'lost' | undefined)[]> {
    const fetched = new Map<string, Promise<Shared | 'lost'>>();
    const parts = messages.map((message) => {
      const ref = sharedRef(message);
      if (!ref) return message.shared as Shared | undefined;
      const name = `${message.account_id} ${ref.blob}`;
      const part = fetched.get(name) ?? this.fetch(name, message.account_id, ref);
      fetched.set(name, part);
      return part;
    });
    return Promise.all(parts);
  }

  private async fetch(name: string, accountId: string, { blob }: BlobRef): Promise<Shared | 'lost'> {
    const known = this.kept.get(name);
    if (known) return known;
    const bytes = await this.blobs.get(accountId, blob);
    if (!bytes) return 'lost';
    const shared = JSON.parse(bytes.toString('utf8')) as Shared;
    this.kept.set(name, shared, { size: Math.max(1, bytes.length) });
    return shared;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, BlobReadings, type BlobStore } from '@lettermill/blobs';
import { jsonWeight } from '@lettermill/contract';
import type { BlobRef, MessageRequested, Shared } from '@lettermill/events';

/** Of shared parts kept at hand: the records of one request lie close together. */
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
  private readonly readings: BlobReadings<Shared>;

  constructor(@Inject(BLOB_STORE) blobs: BlobStore) {
    const make = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as Shared;
    this.readings = new BlobReadings(blobs, make, KEPT_BYTES, jsonWeight);
  }

  /** One entry per message, in order; each blob is read once. `lost` where there is no such blob any more. */
  of(messages: MessageRequested[]): Promise<(Shared | 'lost' | undefined)[]> {
    return Promise.all(
      messages.map(async (message) => {
        const ref = sharedRef(message);
        if (!ref) return message.shared as Shared | undefined;
        return (await this.readings.of(message.account_id, ref)) ?? 'lost';
      }),
    );
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import type { EmailMessageDetails } from '@lettermill/contract';
import { detailsOf, ridesInline, type BlobRef, type Body, type Details, type Shared } from '@lettermill/events';

/** What recipients share goes to the blob store once it is over this (claim check). */
const MAX_INLINE_SHARED = 16 * 1024;

/** JSON of what recipients share. */
export function sharedText(shared: Shared): string {
  return JSON.stringify(shared);
}

export function ridesInEvent(sharedJson: string): boolean {
  return sharedJson.length <= MAX_INLINE_SHARED;
}

/** Brings the content of a request into the form that events carry: addresses as objects, large texts by reference. */
@Injectable()
export class RequestContent {
  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  async details(accountId: string, message: EmailMessageDetails | undefined): Promise<Details | undefined> {
    return message && detailsOf(message, (text) => this.body(accountId, text));
  }

  /** JSON of the shared part as an event holds it: itself, or a reference; undefined when there is nothing. */
  async shared(accountId: string, shared: Shared): Promise<string | undefined> {
    const { profile_data, message, attachments } = shared;
    if (!profile_data && !message && !attachments) return undefined;
    const json = sharedText(shared);
    return ridesInEvent(json) ? json : JSON.stringify(await this.put(accountId, json));
  }

  private async body(accountId: string, text: string): Promise<Body> {
    return ridesInline(text) ? text : this.put(accountId, text);
  }

  private async put(accountId: string, text: string): Promise<BlobRef> {
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(text));
    return { blob, size };
  }
}

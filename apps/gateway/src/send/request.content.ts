import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import type { EmailMessageDetails } from '@lettermill/contract';
import { detailsOf, fitsInEvent, type BlobRef, type Body, type Details, type Shared } from '@lettermill/events';
import { unavailable } from '@lettermill/problems';
import { isMjml, sharedCompiler } from '@lettermill/templates';

/** Length above which what the recipients share goes to the blob store instead of the event (claim check). */
const MAX_INLINE_SHARED_LENGTH = 16 * 1024;

/** What the recipients share, as JSON; undefined if they share nothing. */
export function sharedText(shared: Shared): string | undefined {
  const json = JSON.stringify(shared);
  return json === '{}' ? undefined : json;
}

export function sharedFitsInEvent(sharedJson: string): boolean {
  return sharedJson.length <= MAX_INLINE_SHARED_LENGTH;
}

export function holdsMjml(message: EmailMessageDetails | undefined): boolean {
  return message?.html !== undefined && isMjml(message.html);
}

async function compiledHtml(accountId: string, mjml: string): Promise<string> {
  const compiled = await sharedCompiler().compile(accountId, mjml);
  // It compiled in time when it was checked.
  if ('faults' in compiled) throw unavailable('A template of the request cannot be compiled for now.');
  return compiled.html;
}

/** Brings the content of a request into the form that events carry: addresses as objects, large texts by reference. */
@Injectable()
export class RequestContent {
  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /**
   * Stores MJML as the html that it compiles to, so that the renderer, which all messages wait for, need not compile it. The templates have
   * been checked.
   */
  async details(accountId: string, message: EmailMessageDetails | undefined): Promise<Details | undefined> {
    if (!message) return undefined;
    const html = holdsMjml(message) ? await compiledHtml(accountId, message.html!) : message.html;
    return detailsOf({ ...message, html }, (text) => this.body(accountId, text));
  }

  /** What the recipients share, as JSON for the event: itself or a reference to a blob; undefined if there is nothing. */
  async shared(accountId: string, shared: Shared): Promise<string | undefined> {
    const json = sharedText(shared);
    return json === undefined || sharedFitsInEvent(json) ? json : JSON.stringify(await this.put(accountId, json));
  }

  private async body(accountId: string, text: string): Promise<Body> {
    return fitsInEvent(text) ? text : this.put(accountId, text);
  }

  private async put(accountId: string, text: string): Promise<BlobRef> {
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(text));
    return { blob, size };
  }
}

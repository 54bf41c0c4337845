import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import type { AttachmentRef, Body, Mail } from '@lettermill/events';
import { LRUCache } from 'lru-cache';
import { base64Length } from './mime.base64';
import type { LoadedAttachment } from './mime.attachments';
import type { LoadedMail } from './mime.composer';

/** Recipients of one campaign share their attachments: what was fetched last is kept, up to this many bytes. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** A blob that the mail refers to is not in the store: no later attempt will find it either. */
export class ContentLost extends Error {
  readonly code = 'content_lost';
  constructor(readonly blob: string) {
    super(`Stored content ${blob} is gone.`);
  }
}

/** Fetches what a mail only refers to (claim check). */
@Injectable()
export class MailContents {
  private readonly recent = new LRUCache<string, Buffer, string>({
    maxSize: KEPT_BYTES,
    // With its base64, which is kept beside it from the second reading on.
    sizeCalculation: (bytes) => bytes.length + base64Length(bytes.length) + 1,
    fetchMethod: (key, _stale, { context }) => this.blobs.get(context, key.slice(context.length + 1)),
  });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** The mail with its bodies and files at hand. Rejects with `ContentLost`, or as the blob store does. */
  async load(accountId: string, mail: Mail): Promise<LoadedMail> {
    const [text, html, attachments] = await Promise.all([
      this.text(accountId, mail.text),
      this.text(accountId, mail.html),
      Promise.all(mail.attachments.map((attachment) => this.attachment(accountId, attachment))),
    ]);
    return { ...mail, text, html, attachments };
  }

  private async text(accountId: string, body: Body | undefined): Promise<string | undefined> {
    if (body === undefined || typeof body === 'string') return body;
    return (await this.bytes(accountId, body.blob)).toString('utf8');
  }

  private async attachment(accountId: string, attachment: AttachmentRef): Promise<LoadedAttachment> {
    const { file_name, content_type, cid, blob } = attachment;
    return { file_name, content_type, cid, bytes: await this.bytes(accountId, blob) };
  }

  private async bytes(accountId: string, blob: string): Promise<Buffer> {
    const bytes = await this.recent.fetch(`${accountId} ${blob}`, { context: accountId });
    if (!bytes) throw new ContentLost(blob);
    return bytes;
  }
}

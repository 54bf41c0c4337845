import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, BlobCache, type BlobStore } from '@lettermill/blobs';
import type { AttachmentRef, Body, Mail } from '@lettermill/events';
import type { LoadedAttachment } from './mime.attachments';
import type { LoadedMail } from './mime.composer';

/**
 * Recipients of one campaign share their attachments, so the contents fetched last are kept, up to this many bytes. From the second read
 * on, their base64 is kept as well: 64 MiB in all.
 */
const CACHE_BYTES = 27 * 1024 * 1024;

/** Fetches what a mail only refers to (claim check). */
@Injectable()
export class MailContents {
  private readonly cache: BlobCache<Buffer>;

  constructor(@Inject(BLOB_STORE) blobs: BlobStore) {
    this.cache = new BlobCache(blobs, (bytes) => bytes, CACHE_BYTES);
  }

  /** The mail with its bodies and files loaded. Rejects with `ContentLost`, or as the blob store does. */
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
    return (await this.cache.getOrThrow(accountId, body)).toString('utf8');
  }

  private async attachment(accountId: string, attachment: AttachmentRef): Promise<LoadedAttachment> {
    const { file_name, content_type, cid } = attachment;
    return { file_name, content_type, cid, bytes: await this.cache.getOrThrow(accountId, attachment) };
  }
}

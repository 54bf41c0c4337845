import type { BlobDraft } from '@lettermill/blobs';
import { Slots } from '@lettermill/concurrency';
import type { Attachment } from '@lettermill/contract';
import type { AttachmentRef } from '@lettermill/events';
import type { Fault } from '@lettermill/problems';

/**
 * Over all requests: a file that is being stored is an open file of the process, and one request can have a thousand. With fewer at a time
 * it takes longer, as they share the syncs of their folders.
 */
const MAX_STORED_AT_ONCE = 256;
const storing = new Slots(MAX_STORED_AT_ONCE);

/** A file that was sent as a part of a multipart body. */
export interface UploadedFile {
  /** Name of the form part. */
  part: string;
  fileName: string | undefined;
  contentType: string | undefined;
  draft: BlobDraft;
}

/** A file of a request, found and measured, not yet a blob. */
export interface FoundFile {
  size: number;
  fileName: string;
  contentType: string;
  cid?: string;
  /** Commits the file; resolves to its blob once that is durable. */
  store(): Promise<string>;
}

/** All files of one request: those that an attachment of the JSON names, and those that are attached without being named. */
export class RequestFiles {
  readonly faults: Fault[] = [];
  readonly drafts: BlobDraft[] = [];
  private readonly found = new Map<Attachment, FoundFile>();
  private readonly autoAttached: FoundFile[] = [];

  add(attachment: Attachment, file: FoundFile): void {
    this.found.set(attachment, file);
  }

  attachToAll(file: FoundFile): void {
    this.autoAttached.push(file);
  }

  /** Stores the files of one level; resolves to their references for the event once they are durable. */
  storeNamed(attachments: Attachment[] | undefined): Promise<AttachmentRef[] | undefined> {
    return this.store((attachments ?? []).flatMap((one) => this.found.get(one) ?? []));
  }

  /** As `storeNamed`, for the level of the request, including the files that no attachment names: they go with every message. */
  storeShared(attachments: Attachment[] | undefined): Promise<AttachmentRef[] | undefined> {
    const named = (attachments ?? []).flatMap((one) => this.found.get(one) ?? []);
    return this.store([...named, ...this.autoAttached]);
  }

  /** Discards every draft that did not become a blob. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.drafts.map((draft) => draft.discard()));
  }

  private async store(files: FoundFile[]): Promise<AttachmentRef[] | undefined> {
    if (files.length === 0) return undefined;
    return Promise.all(
      files.map(async ({ size, fileName, contentType, cid, store }) => ({
        blob: await storing.run(store),
        size,
        file_name: fileName,
        content_type: contentType,
        ...(cid !== undefined && { cid }),
      })),
    );
  }
}

/** Commits a draft only once, however many attachments name it. */
export function committedOnce(draft: BlobDraft): () => Promise<string> {
  let committed: Promise<string> | undefined;
  return () => (committed ??= draft.commit().then(() => draft.blob));
}

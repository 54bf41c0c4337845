import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobDraft, type BlobStore } from '@lettermill/blobs';
import {
  decodedSize,
  MAX_ATTACHMENT_BYTES,
  mediaTypeOf,
  type Attachment,
  type AttachmentFileData,
  type AttachmentFileRef,
  type AttachmentUrl,
  type Recipient,
  type SendEmailRequest,
} from '@lettermill/contract';
import { CONFIG, type Config } from '@lettermill/runtime';
import { VERSION } from '@lettermill/version';
import { committedOnce, RequestFiles, type FoundFile, type UploadedFile } from './request.files';
import { sniffed } from './media.type';
import { FetchRefused, UrlSource } from './url.source';

const FETCHES_AT_ONCE = 4;
/** Of all files that one request has fetched. */
const MAX_FETCHED_BYTES = 4 * MAX_ATTACHMENT_BYTES;

interface Named<T> {
  attachment: T;
  pointer: string;
}

interface Fetched {
  draft: BlobDraft;
  contentType: string | undefined;
  store(): Promise<string>;
}

const isUrl = ({ attachment }: Named<Attachment>): boolean => attachment.attachment_type === 'url';
const isRef = ({ attachment }: Named<Attachment>): boolean => 'file_ref' in attachment;

/** Finds the files of a request in all three ways that they can come (contract: Attachment). */
@Injectable()
export class Attachments {
  private readonly urls: UrlSource;

  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(CONFIG) config: Config,
  ) {
    this.urls = new UrlSource(config.attachmentFetchAllow, `Lettermill/${VERSION}`);
  }

  /** Every file with its size, or its fault. `uploads` become part of the answer, which must be discarded in the end. */
  async find(
    accountId: string,
    request: SendEmailRequest,
    recipients: Recipient[],
    uploads: UploadedFile[],
  ): Promise<RequestFiles> {
    const files = new RequestFiles();
    files.drafts.push(...uploads.map(({ draft }) => draft));
    const all = [
      ...named(request.attachments, ''),
      ...recipients.flatMap(({ attachments, pointer }) => named(attachments, pointer)),
    ];
    if (all.length === 0 && uploads.length === 0) return files;
    for (const { attachment } of all.filter((one) => !isUrl(one) && !isRef(one))) {
      files.add(attachment, this.inlineFile(accountId, attachment as AttachmentFileData));
    }
    this.addUploads(files, all.filter(isRef) as Named<AttachmentFileRef>[], uploads);
    await this.addFetched(accountId, files, all.filter(isUrl) as Named<AttachmentUrl>[]);
    return files;
  }

  private inlineFile(accountId: string, { data, file_name, cid }: AttachmentFileData): FoundFile {
    return {
      size: decodedSize(data),
      fileName: file_name,
      contentType: mediaTypeOf(file_name),
      cid,
      store: async () => (await this.blobs.put(accountId, Buffer.from(data, 'base64'))).blob,
    };
  }

  private addUploads(files: RequestFiles, refs: Named<AttachmentFileRef>[], uploads: UploadedFile[]): void {
    const byPart = new Map(uploads.map((upload) => [upload.part, { ...upload, store: committedOnce(upload.draft) }]));
    const unnamed = new Set(byPart.keys());
    for (const { attachment, pointer } of refs) {
      const upload = byPart.get(attachment.file_ref);
      unnamed.delete(attachment.file_ref);
      const fileName = attachment.file_name ?? upload?.fileName;
      if (!upload) {
        const detail = `No part is named «${attachment.file_ref}».`;
        files.faults.push({ pointer: `${pointer}/file_ref`, code: 'file_ref_unknown', detail });
      } else if (fileName === undefined) {
        const detail = 'Neither file_name nor a filename in the part names the file.';
        files.faults.push({ pointer, code: 'file_name_missing', detail });
      } else {
        files.add(attachment, { ...uploaded(upload, fileName), cid: attachment.cid });
      }
    }
    for (const part of unnamed) {
      const upload = byPart.get(part)!;
      if (upload.fileName !== undefined) files.attachToAll(uploaded(upload, upload.fileName));
      else {
        const detail = `The part «${part}» is attached to every message and needs a filename.`;
        files.faults.push({ pointer: '', code: 'file_name_missing', detail });
      }
    }
  }

  /** Each address once, a few at a time, all of them within one budget. */
  private async addFetched(accountId: string, files: RequestFiles, wanted: Named<AttachmentUrl>[]): Promise<void> {
    const byUrl = new Map<string, Named<AttachmentUrl>[]>();
    for (const one of wanted) byUrl.set(one.attachment.data, [...(byUrl.get(one.attachment.data) ?? []), one]);
    const queue = byUrl.entries();
    let budget = MAX_FETCHED_BYTES;
    const work = async () => {
      for (const [url, users] of queue) {
        try {
          const fetched = await this.fetch(accountId, url, Math.min(budget, MAX_ATTACHMENT_BYTES));
          budget -= fetched.draft.size;
          files.drafts.push(fetched.draft);
          for (const { attachment } of users) files.add(attachment, ofUrl(attachment, fetched));
        } catch (error) {
          if (!(error instanceof FetchRefused)) throw error;
          const { code, message: detail } = error;
          files.faults.push(...users.map(({ pointer }) => ({ pointer: `${pointer}/data`, code, detail })));
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(FETCHES_AT_ONCE, byUrl.size) }, work));
  }

  private async fetch(accountId: string, url: string, maxBytes: number): Promise<Fetched> {
    const { contentType, body } = await this.urls.open(url, maxBytes);
    const head = sniffed(body);
    const draft = await this.blobs.draft(accountId, head.bytes);
    return { draft, contentType: (await head.mediaType()) ?? contentType, store: committedOnce(draft) };
  }
}

function named(attachments: Attachment[] | undefined, pointer: string): Named<Attachment>[] {
  return (attachments ?? []).map((attachment, index) => ({ attachment, pointer: `${pointer}/attachments/${index}` }));
}

function uploaded(upload: UploadedFile & { store(): Promise<string> }, fileName: string): FoundFile {
  const contentType = upload.contentType ?? mediaTypeOf(fileName);
  return { size: upload.draft.size, fileName, contentType, store: upload.store };
}

function ofUrl({ file_name, cid }: AttachmentUrl, { draft, contentType, store }: Fetched): FoundFile {
  return {
    size: draft.size,
    fileName: file_name,
    contentType: contentType ?? mediaTypeOf(file_name),
    cid,
    store,
  };
}

import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobDraft, type BlobStore } from '@lettermill/blobs';
import { Slots } from '@lettermill/concurrency';
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
import type { Fault } from '@lettermill/problems';
import { CONFIG, type Config } from '@lettermill/runtime';
import { VERSION } from '@lettermill/version';
import { LRUCache } from 'lru-cache';
import { fileFaults, type Judged } from './file.faults';
import { unnamedParts } from './loose.files';
import { committedOnce, RequestFiles, type FoundFile, type UploadedFile } from './request.files';
import { sniffed, uploadType } from './media.type';
import { FetchRefused, UrlSource } from './url.source';

const FETCHES_AT_ONCE = 4;
/** Of all requests of an account: slow servers hold sockets of ours, and other accounts need some, too. */
const FETCHES_OF_ACCOUNT = 64;
const MOST_ACCOUNTS = 10_000;
/** For all files of one request together: who calls is waiting. */
const FETCHED_WITHIN_MS = 30_000;
/** Of all files that one request has fetched. */
const MAX_FETCHED_BYTES = 4 * MAX_ATTACHMENT_BYTES;
const OUT_OF_TIME = `The files of one request have ${FETCHED_WITHIN_MS / 1000} s together, and they are over.`;
const OVER_BUDGET = `The files that one request has fetched may have ${MAX_FETCHED_BYTES} bytes together; this one crosses that.`;

interface Named<T> {
  attachment: T;
  pointer: string;
}

/** A request whose shape is right. */
export interface FileRequest {
  accountId: string;
  body: SendEmailRequest;
  recipients: Recipient[];
  uploads?: UploadedFile[];
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
  private readonly withinMs = FETCHED_WITHIN_MS;
  private readonly slots = new LRUCache<string, Slots>({ max: MOST_ACCOUNTS });

  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(CONFIG) config: Config,
  ) {
    this.urls = new UrlSource(config.attachmentFetchAllow, `Lettermill/${VERSION}`);
  }

  /** What is wrong with the files of a request, as far as it can be told without fetching any. */
  faults(judged: Judged): Fault[] {
    return fileFaults(judged, { refusal: (address) => this.urls.refusal(address), sizeOf: () => 0 });
  }

  /**
   * Every file of a request that `faults` found nothing wrong with; those that have to be fetched may have faults yet. `uploads` become
   * part of the answer, which must be discarded in the end.
   */
  async find({ accountId, body, recipients, uploads = [] }: FileRequest, campaignBytes: number): Promise<RequestFiles> {
    const files = new RequestFiles();
    files.drafts.push(...uploads.map(({ draft }) => draft));
    const all = [
      ...named(body.attachments, ''),
      ...recipients.flatMap(({ attachments, pointer }) => named(attachments, pointer)),
    ];
    for (const { attachment } of all.filter((one) => !isUrl(one) && !isRef(one))) {
      files.add(attachment, this.inlineFile(accountId, attachment as AttachmentFileData));
    }
    addUploads(files, all.filter(isRef) as Named<AttachmentFileRef>[], { body, uploads });
    const wanted = all.filter(isUrl) as Named<AttachmentUrl>[];
    if (wanted.length > 0) {
      const sizes = await this.addFetched(accountId, files, wanted);
      const sizeOf = (address: string) => sizes.get(address) ?? 0;
      files.faults.push(...fileFaults({ body, uploads, campaignBytes }, { refusal: () => undefined, sizeOf }));
    }
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

  /** Each address once, a few at a time, all of them within one budget; answers the bytes of each. */
  private async addFetched(
    accountId: string,
    files: RequestFiles,
    wanted: Named<AttachmentUrl>[],
  ): Promise<Map<string, number>> {
    const byUrl = new Map<string, Named<AttachmentUrl>[]>();
    for (const one of wanted) byUrl.set(one.attachment.data, [...(byUrl.get(one.attachment.data) ?? []), one]);
    const queue = byUrl.entries();
    const sizes = new Map<string, number>();
    let budget = MAX_FETCHED_BYTES;
    const ending = AbortSignal.timeout(this.withinMs);
    const work = async () => {
      for (const [url, users] of queue) {
        const most = Math.min(budget, MAX_ATTACHMENT_BYTES);
        try {
          const fetched = await this.slotsOf(accountId).run(() => this.fetch(accountId, url, { most, ending }));
          files.drafts.push(fetched.draft);
          const { size } = fetched.draft;
          // Others were fetched meanwhile.
          if (size > budget) throw new FetchRefused('attachments_too_large', OVER_BUDGET);
          budget -= size;
          sizes.set(url, size);
          for (const { attachment } of users) files.add(attachment, ofUrl(attachment, fetched));
        } catch (error) {
          if (!(error instanceof FetchRefused)) throw error;
          const { code } = error;
          const detail = code === 'attachments_too_large' && most < MAX_ATTACHMENT_BYTES ? OVER_BUDGET : error.message;
          files.faults.push(...users.map(({ pointer }) => ({ pointer: `${pointer}/data`, code, detail })));
        }
      }
    };
    const done = await Promise.allSettled(Array.from({ length: Math.min(FETCHES_AT_ONCE, byUrl.size) }, work));
    const broken = done.find(({ status }) => status === 'rejected');
    if (broken) {
      await files.discard();
      throw (broken as PromiseRejectedResult).reason;
    }
    return sizes;
  }

  private slotsOf(accountId: string): Slots {
    let slots = this.slots.get(accountId);
    if (!slots) this.slots.set(accountId, (slots = new Slots(FETCHES_OF_ACCOUNT)));
    return slots;
  }

  private async fetch(
    accountId: string,
    url: string,
    { most, ending }: { most: number; ending: AbortSignal },
  ): Promise<Fetched> {
    if (ending.aborted) throw new FetchRefused('attachment_fetch_failed', OUT_OF_TIME);
    const { contentType, body } = await this.urls.open(url, most, ending);
    const head = sniffed(body);
    const draft = await this.blobs.draft(accountId, head.bytes);
    return { draft, contentType: (await head.mediaType()) ?? contentType, store: committedOnce(draft) };
  }
}

function named(attachments: Attachment[] | undefined, pointer: string): Named<Attachment>[] {
  return (attachments ?? []).map((attachment, index) => ({ attachment, pointer: `${pointer}/attachments/${index}` }));
}

function addUploads(
  files: RequestFiles,
  refs: Named<AttachmentFileRef>[],
  { body, uploads = [] }: Pick<FileRequest, 'body' | 'uploads'>,
): void {
  const stored = uploads.map((upload) => ({ ...upload, store: committedOnce(upload.draft) }));
  const byPart = new Map(stored.map((upload) => [upload.part, upload]));
  for (const { attachment } of refs) {
    const upload = byPart.get(attachment.file_ref)!;
    files.add(attachment, { ...uploaded(upload, attachment.file_name ?? upload.fileName!), cid: attachment.cid });
  }
  for (const upload of unnamedParts(body, stored)) files.attachToAll(uploaded(upload, upload.fileName!));
}

function uploaded(upload: UploadedFile & { store(): Promise<string> }, fileName: string): FoundFile {
  const contentType = uploadType(upload.contentType, fileName);
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

import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import {
  decodedSize,
  inlineMediaType,
  type Attachment,
  type AttachmentFileData,
  type AttachmentFileRef,
  type AttachmentUrl,
  type Recipient,
  type SendEmailRequest,
} from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { CampaignFiles } from '../campaigns/campaigns.view';
import { faultOfUrl } from './fetch.refused';
import { fileFaults, type FilesToCheck } from './file.faults';
import { unnamedParts } from './unchecked.files';
import { committedOnce, RequestFiles, type FoundFile, type UploadedFile } from './request.files';
import { uploadType } from './media.type';
import { isFetched, type FetchedDraft } from './url.fetches';
import { UrlFiles } from './url.files';

interface Located<T = Attachment> {
  attachment: T;
  pointer: string;
}

/** A request of valid shape. */
export interface FileRequest {
  accountId: string;
  body: SendEmailRequest;
  recipients: Recipient[];
  uploads?: UploadedFile[];
}

const isUrl = (one: Located): one is Located<AttachmentUrl> => one.attachment.attachment_type === 'url';
const isRef = (one: Located): one is Located<AttachmentFileRef> => 'file_ref' in one.attachment;
const isInline = (one: Located): one is Located<AttachmentFileData> => !isUrl(one) && !isRef(one);

/** Finds the files of a request in all three forms that an attachment can have (contract: Attachment). */
@Injectable()
export class Attachments {
  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly urls: UrlFiles,
  ) {}

  /** The faults of a request's files that can be found without fetching any. */
  faults(judged: FilesToCheck): Fault[] {
    return fileFaults(judged, { refusal: (address) => this.urls.refusal(address), sizeOf: () => 0 });
  }

  /**
   * Finds every file of a request in which `faults` found no fault; files that have to be fetched may still have some. `uploads` become
   * part of the result, which the caller must discard in the end.
   */
  async find(
    { accountId, body, recipients, uploads = [] }: FileRequest,
    ofCampaign: CampaignFiles,
  ): Promise<RequestFiles> {
    const files = new RequestFiles();
    files.drafts.push(...uploads.map(({ draft }) => draft));
    const located = [
      ...locate(body.attachments, ''),
      ...recipients.flatMap(({ attachments, pointer }) => locate(attachments, pointer)),
    ];
    for (const { attachment } of located.filter(isInline))
      files.add(attachment, this.inlineFile(accountId, attachment));
    addUploads(files, located.filter(isRef), { body, uploads });
    const urlAttachments = located.filter(isUrl);
    if (urlAttachments.length > 0) {
      const sizes = await this.addFetched(accountId, files, urlAttachments);
      const sizeOf = (address: string) => sizes.get(address) ?? 0;
      files.faults.push(...fileFaults({ body, uploads, ofCampaign }, { refusal: () => undefined, sizeOf }));
    }
    return files;
  }

  private inlineFile(accountId: string, { data, file_name, cid }: AttachmentFileData): FoundFile {
    return {
      size: decodedSize(data),
      fileName: file_name,
      contentType: inlineMediaType(file_name, data),
      cid,
      store: async () => (await this.blobs.put(accountId, Buffer.from(data, 'base64'))).blob,
    };
  }

  /** Returns the size in bytes for each address. */
  private async addFetched(
    accountId: string,
    files: RequestFiles,
    urlAttachments: Located<AttachmentUrl>[],
  ): Promise<Map<string, number>> {
    const addresses = urlAttachments.map(({ attachment }) => attachment.data);
    const outcomes = await this.urls.fetchAll(accountId, addresses);
    const fetched = [...outcomes].flatMap(([address, one]) => (isFetched(one) ? [[address, one.draft] as const] : []));
    files.drafts.push(...fetched.map(([, draft]) => draft));
    for (const { attachment, pointer } of urlAttachments) {
      const outcome = outcomes.get(attachment.data)!;
      if (isFetched(outcome)) files.add(attachment, fileOfUrl(attachment, outcome));
      else files.faults.push(faultOfUrl(pointer, outcome));
    }
    return new Map(fetched.map(([address, { size }]) => [address, size]));
  }
}

function locate(attachments: Attachment[] | undefined, pointer: string): Located[] {
  return (attachments ?? []).map((attachment, index) => ({ attachment, pointer: `${pointer}/attachments/${index}` }));
}

function addUploads(
  files: RequestFiles,
  refs: Located<AttachmentFileRef>[],
  { body, uploads = [] }: Pick<FileRequest, 'body' | 'uploads'>,
): void {
  const stored = uploads.map((upload) => ({ ...upload, store: committedOnce(upload.draft) }));
  const byPart = new Map(stored.map((upload) => [upload.part, upload]));
  for (const { attachment } of refs) {
    const upload = byPart.get(attachment.file_ref)!;
    files.add(attachment, { ...fileOfUpload(upload, attachment.file_name ?? upload.fileName!), cid: attachment.cid });
  }
  for (const upload of unnamedParts(body, stored)) files.attachToAll(fileOfUpload(upload, upload.fileName!));
}

function fileOfUpload(upload: UploadedFile & { store(): Promise<string> }, fileName: string): FoundFile {
  const contentType = uploadType(upload.contentType, fileName);
  return { size: upload.draft.size, fileName, contentType, store: upload.store };
}

function fileOfUrl({ file_name, cid }: AttachmentUrl, { draft, typeAs, store }: FetchedDraft): FoundFile {
  return {
    size: draft.size,
    fileName: file_name,
    contentType: typeAs(file_name),
    cid,
    store,
  };
}

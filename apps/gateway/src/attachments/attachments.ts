import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import { decodedSize, MAX_ATTACHMENT_BYTES, type Attachment, type Recipient } from '@lettermill/contract';
import type { AttachmentRef } from '@lettermill/events';
import type { Fault } from '@lettermill/problems';
import mime from 'mime';

const ANY_TYPE = 'application/octet-stream';

interface Sized {
  pointer: string;
  size: number;
}

function sizes(attachments: Attachment[] | undefined, pointer: string): Sized[] {
  return (attachments ?? []).map((attachment, index) => ({
    pointer: `${pointer}/attachments/${index}`,
    size: 'data' in attachment ? decodedSize(attachment.data) : 0,
  }));
}

/** The first attachment that takes the sum over the limit, if any does. */
function crossing(before: number, items: Sized[]): { total: number; at?: Sized } {
  let total = before;
  for (const item of items) {
    total += item.size;
    if (total > MAX_ATTACHMENT_BYTES) return { total, at: item };
  }
  return { total };
}

/**
 * Faults of size (design 4.11): campaign, request and recipient files of one message together, exact at the byte, at
 * the pointer of the attachment that crosses the limit.
 */
export function sizeFaults(
  campaignBytes: number,
  ofRequest: Attachment[] | undefined,
  recipients: Recipient[],
): Fault[] {
  const shared = crossing(campaignBytes, sizes(ofRequest, ''));
  const crossings = shared.at
    ? [shared.at]
    : recipients.flatMap(({ attachments, pointer }) => crossing(shared.total, sizes(attachments, pointer)).at ?? []);
  return crossings.map(({ pointer }) => ({
    pointer,
    code: 'attachments_too_large',
    detail: `The attachments of one message may have ${MAX_ATTACHMENT_BYTES} bytes together; this one crosses that.`,
  }));
}

/** Kinds that can't be taken in this form of the request. */
export function kindFaults(attachments: Attachment[] | undefined, pointer: string): Fault[] {
  return (attachments ?? []).flatMap((attachment, index) =>
    'file_ref' in attachment || attachment.attachment_type === 'url'
      ? [
          {
            pointer: `${pointer}/attachments/${index}`,
            code: 'attachment_kind_unavailable' as const,
            detail: 'Only attachment_type "file" with its data can be taken here.',
          },
        ]
      : [],
  );
}

/** Puts attachments into the blob store; what goes on in events is where they lie. */
@Injectable()
export class Attachments {
  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  async store(accountId: string, attachments: Attachment[] | undefined): Promise<AttachmentRef[] | undefined> {
    if (!attachments) return undefined;
    return Promise.all(
      attachments.flatMap((attachment) => ('data' in attachment ? [this.storeFile(accountId, attachment)] : [])),
    );
  }

  private async storeFile(
    accountId: string,
    { data, file_name, cid }: { data: string; file_name: string; cid?: string },
  ): Promise<AttachmentRef> {
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(data, 'base64'));
    const content_type = mime.getType(file_name) ?? ANY_TYPE;
    return { blob, size, file_name, content_type, ...(cid !== undefined && { cid }) };
  }
}

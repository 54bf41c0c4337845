import { MAX_ATTACHMENT_BYTES, type Attachment, type Recipient } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';

interface Sized {
  pointer: string;
  size: number;
}

/** The first file that takes the sum over the limit, if any does. */
function crossing(before: number, items: Sized[]): { total: number; at?: Sized } {
  let total = before;
  for (const item of items) {
    total += item.size;
    if (total > MAX_ATTACHMENT_BYTES) return { total, at: item };
  }
  return { total };
}

/**
 * Faults of size (design 4.11): campaign, request, auto-attached and recipient files of one message together, exact at
 * the byte, at the pointer of the one that crosses the limit. `sizeOf` tells the decoded bytes of an attachment.
 */
export function sizeFaults(
  campaignBytes: number,
  ofRequest: Attachment[] | undefined,
  autoAttachedBytes: number,
  recipients: Pick<Recipient, 'pointer' | 'attachments'>[],
  sizeOf: (attachment: Attachment) => number,
): Fault[] {
  const sized = (attachments: Attachment[] | undefined, pointer: string): Sized[] =>
    (attachments ?? []).map((one, index) => ({ pointer: `${pointer}/attachments/${index}`, size: sizeOf(one) }));
  const files = sized(ofRequest, '');
  if (autoAttachedBytes > 0) files.push({ pointer: '', size: autoAttachedBytes });
  const shared = crossing(campaignBytes, files);
  const crossings = shared.at
    ? [shared.at]
    : recipients.flatMap(({ attachments, pointer }) => crossing(shared.total, sized(attachments, pointer)).at ?? []);
  return crossings.map(({ pointer }) => ({
    pointer,
    code: 'attachments_too_large',
    detail: `The attachments of one message may have ${MAX_ATTACHMENT_BYTES} bytes together; this one crosses that.`,
  }));
}

import { decodedSize, MAX_ATTACHMENT_BYTES } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { LooseFile } from './loose.files';

interface Sized {
  pointer: string;
  size: number;
}

/** Bytes as far as they are known. */
export interface KnownSizes {
  ofCampaign: number;
  /** Of the parts that are attached to every message. */
  ofAutoAttached: number;
  ofPart(name: string): number;
  ofUrl(address: string): number;
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

function sized({ pointer, ref, url, base64 }: LooseFile, sizes: KnownSizes): Sized {
  if (ref !== undefined) return { pointer, size: sizes.ofPart(ref) };
  if (url !== undefined) return { pointer, size: sizes.ofUrl(url) };
  return { pointer, size: base64 === undefined ? 0 : decodedSize(base64) };
}

/**
 * Faults of size (docs/send.md 11): campaign, request, auto-attached and recipient files of one message together, exact at
 * the byte, at the pointer of the one that crosses the limit.
 */
export function sizeFaults(ofRequest: LooseFile[], ofRecipients: LooseFile[][], sizes: KnownSizes): Fault[] {
  const sizedBy = (files: LooseFile[]) => files.map((file) => sized(file, sizes));
  const files = sizedBy(ofRequest);
  if (sizes.ofAutoAttached > 0) files.push({ pointer: '', size: sizes.ofAutoAttached });
  const shared = crossing(sizes.ofCampaign, files);
  const crossings = shared.at
    ? [shared.at]
    : ofRecipients.flatMap((own) => crossing(shared.total, sizedBy(own)).at ?? []);
  return crossings.map(({ pointer }) => ({
    pointer,
    code: 'attachments_too_large',
    detail: `The attachments of one message may have ${MAX_ATTACHMENT_BYTES} bytes together; this one crosses that.`,
  }));
}

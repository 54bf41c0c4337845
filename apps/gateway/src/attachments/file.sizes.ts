import { decodedSize, MAX_ATTACHMENT_BYTES } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { UncheckedFile } from './unchecked.files';

interface SizedFile {
  pointer: string;
  size: number;
}

/** Sizes in bytes, as far as they are known. */
export interface KnownSizes {
  ofCampaign: number;
  /** Of the parts that no attachment names, which are attached to every message. */
  ofAutoAttached: number;
  ofPart(name: string): number;
  ofUrl(address: string): number;
}

/**
 * Adds up the sizes. `over` is the pointer of the first file that exceeds the limit, if any does; `total` is then the sum up to that file.
 */
function sum(before: number, items: SizedFile[]): { total: number; over?: string } {
  let total = before;
  for (const { pointer, size } of items) {
    total += size;
    if (total > MAX_ATTACHMENT_BYTES) return { total, over: pointer };
  }
  return { total };
}

function tooLarge(pointer: string, total: number, ofCampaign: number): Fault {
  const what = pointer === '' ? 'the parts that are attached to every message' : 'this one';
  const own = ofCampaign > 0 ? `, ${ofCampaign} of them in files of the campaign` : '';
  const detail = `found ${total} bytes together with ${what}${own}; at most ${MAX_ATTACHMENT_BYTES} for all attachments of one message`;
  return { pointer, code: 'attachments_too_large', detail };
}

function sizedFile({ pointer, ref, url, base64 }: UncheckedFile, sizes: KnownSizes): SizedFile {
  if (ref !== undefined) return { pointer, size: sizes.ofPart(ref) };
  if (url !== undefined) return { pointer, size: sizes.ofUrl(url) };
  return { pointer, size: base64 === undefined ? 0 : decodedSize(base64) };
}

/**
 * Faults of size (docs/send.md 11): the files of one message (campaign, request, auto-attached, recipient) are added up to the byte. The
 * fault has the pointer of the file that crosses the limit.
 */
export function sizeFaults(ofRequest: UncheckedFile[], ofRecipients: UncheckedFile[][], sizes: KnownSizes): Fault[] {
  const sizedBy = (files: UncheckedFile[]) => files.map((file) => sizedFile(file, sizes));
  const files = [...sizedBy(ofRequest), { pointer: '', size: sizes.ofAutoAttached }];
  const { ofCampaign } = sizes;
  const shared = sum(ofCampaign, files);
  const sums = shared.over === undefined ? ofRecipients.map((own) => sum(shared.total, sizedBy(own))) : [shared];
  return sums.flatMap(({ over, total }) => (over === undefined ? [] : tooLarge(over, total, ofCampaign)));
}

import { quoted, type Json } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { CampaignFiles } from '../campaigns/campaigns.view';
import { levelsIn } from './request.levels';
import { cidFaults } from './file.cids';
import { sizeFaults } from './file.sizes';
import { uncheckedFiles, unnamedParts, type UncheckedFile } from './unchecked.files';
import type { UploadedFile } from './request.files';
import { faultOfUrl, type FetchRefused } from './fetch.refused';

/** A request whose files are checked; its shape may be invalid. */
export interface FilesToCheck {
  body: Json;
  /** Undefined if the request is not a multipart body. */
  uploads: UploadedFile[] | undefined;
  ofCampaign: CampaignFiles;
  /** Pointers at which a fault is already known; no further faults are reported for them. */
  wrong?: ReadonlySet<string>;
}

const NO_POINTERS: ReadonlySet<string> = new Set();

/** What is known about addresses: why one may never be fetched, and the size in bytes of those that were fetched. */
export interface KnownAddresses {
  refusal(address: string): Pick<FetchRefused, 'code' | 'message'> | undefined;
  sizeOf(address: string): number;
}

/** Every fault of the files that can be found without I/O: no address is fetched. */
export function fileFaults(
  { body, uploads, ofCampaign, wrong = NO_POINTERS }: FilesToCheck,
  addresses: KnownAddresses,
): Fault[] {
  const [ofRequest = [], ...ofRecipients] = levelsIn(body).map((level) => uncheckedFiles(level, wrong));
  const files = [ofRequest, ...ofRecipients].flat();
  const parts = new Map(uploads?.map((upload) => [upload.part, upload]));
  const unnamed = unnamedParts(body, uploads);
  const sizes = {
    ofCampaign: ofCampaign.bytes,
    ofAutoAttached: unnamed.reduce((sum, { draft }) => sum + draft.size, 0),
    ofPart: (name: string) => parts.get(name)?.draft.size ?? 0,
    ofUrl: (address: string) => addresses.sizeOf(address),
  };
  const noPart = uploads ? '' : ' The request is not multipart/form-data: it has no parts.';
  return [
    ...files.flatMap((file) => refFault(file, parts, wrong, noPart) ?? []),
    ...unnamed.flatMap((upload) => autoAttachedFault(upload) ?? []),
    ...cidFaults(ofCampaign.cids, ofRequest, ofRecipients),
    ...files.flatMap((file) => addressFault(file, addresses) ?? []),
    ...sizeFaults(ofRequest, ofRecipients, sizes),
  ];
}

function refFault(
  { ref, named, pointer }: UncheckedFile,
  parts: Map<string, UploadedFile>,
  wrong: ReadonlySet<string>,
  noPart: string,
): Fault | undefined {
  if (ref === undefined) return undefined;
  const part = parts.get(ref);
  if (!part) {
    const at = `${pointer}/file_ref`;
    const detail = `No part is named ${quoted(ref)}.${noPart}`;
    return wrong.has(at) ? undefined : { pointer: at, code: 'file_ref_unknown', detail };
  }
  if (named || part.fileName !== undefined) return undefined;
  const detail = 'Neither file_name nor a usable filename in the part names the file.';
  return { pointer, code: 'file_name_missing', detail };
}

function autoAttachedFault({ part, fileName }: UploadedFile): Fault | undefined {
  if (fileName !== undefined) return undefined;
  const detail = `The part ${quoted(part)} is attached to every message and needs a usable filename.`;
  return { pointer: '', code: 'file_name_missing', detail };
}

function addressFault({ url, pointer }: UncheckedFile, { refusal }: KnownAddresses): Fault | undefined {
  const refused = url === undefined ? undefined : refusal(url);
  return refused && faultOfUrl(pointer, refused);
}

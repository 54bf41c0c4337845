import {
  campaignFaults,
  isKeptFile,
  isUrlFile,
  type CampaignAttachment,
  type CampaignLaunch,
} from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { sizeFaults } from '../attachments/file.sizes';
import { uncheckedFiles } from '../attachments/unchecked.files';
import type { OwnerAnswer } from '../owners/owner.client';

/** A file that a launch names by its address. */
export interface UrlFile {
  pointer: string;
  address: string;
}

/** The files of a valid launch that have to be fetched. */
export function urlFilesOf({ attachments = [] }: CampaignLaunch): UrlFile[] {
  return attachments.flatMap((file, index) =>
    isUrlFile(file) ? [{ pointer: `/attachments/${index}`, address: file.data }] : [],
  );
}

/**
 * Whether the renderer refused the body only because files of it are not fetched yet. Then all else that can be wrong with a launch was
 * checked, and the body is one.
 */
export function lacksOnlyFiles(
  { status, body: refusal }: Pick<OwnerAnswer, 'status' | 'body'>,
  body: unknown,
): body is CampaignLaunch {
  if (status !== 422) return false;
  const { errors = [] } = JSON.parse(refusal.toString()) as { errors?: Fault[] };
  // A renderer of an earlier version did not look at what such a file has.
  if (errors.some(({ code }) => code !== 'attachment_kind_unavailable') || campaignFaults(body).length > 0)
    return false;
  const unfetched = new Set(urlFilesOf(body as CampaignLaunch).map(({ pointer }) => pointer));
  return errors.length > 0 && errors.every(({ pointer }) => unfetched.has(pointer));
}

/** The fault at the file that exceeds 10 MiB over all files of the launch (docs/send.md 11). */
export function launchSizeFaults(launch: CampaignLaunch, ofUrl: (address: string) => number): Fault[] {
  const kept = (launch.attachments ?? []).filter(isKeptFile);
  const ofCampaign = kept.reduce((sum, { size }) => sum + size, 0);
  const files = uncheckedFiles({ one: launch, pointer: '' }, new Set());
  return sizeFaults(files, [], { ofCampaign, ofAutoAttached: 0, ofPart: () => 0, ofUrl });
}

/** The launch with its files as base64, as the renderer takes them. */
export function withFiles(launch: CampaignLaunch, base64Of: (address: string) => string): CampaignLaunch {
  const attachments = launch.attachments?.map((file): CampaignAttachment => {
    if (!isUrlFile(file)) return file;
    const { file_name, data, cid } = file;
    return { attachment_type: 'file', file_name, data: base64Of(data), ...(cid !== undefined && { cid }) };
  });
  return { ...launch, attachments };
}

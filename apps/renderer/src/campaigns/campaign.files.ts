import { quoted, repeatedCids, type CampaignAttachment, type CampaignFileKept } from '@lettermill/contract';
import type { AttachmentRef } from '@lettermill/events';
import type { Fault } from '@lettermill/problems';

/** A file of a launch: its content, or the stored file of the previous version. */
export type LaunchedFile = Exclude<CampaignAttachment, CampaignFileKept> | AttachmentRef;

export const isStored = (file: LaunchedFile): file is AttachmentRef => 'blob' in file;

const isKept = (file: CampaignAttachment): file is CampaignFileKept => !('data' in file);

/** Two kept files may have the same cid: a version that was launched so can be launched again. */
function cidFaults(asked: CampaignAttachment[]): Fault[] {
  const files = asked.map((file, index) => ({
    pointer: `/attachments/${index}`,
    kept: isKept(file),
    ...(file.cid !== undefined && { cid: file.cid }),
  }));
  return repeatedCids(files, undefined, (file, first) => file.kept && first.kept);
}

/** The files of a launch; those to be kept are matched with the stored ones, each of which can be kept only once. */
export function launchedFiles(
  asked: CampaignAttachment[],
  stored: AttachmentRef[],
): { files: LaunchedFile[]; faults: Fault[] } {
  const unmatched = [...stored];
  const files: LaunchedFile[] = [];
  const faults: Fault[] = cidFaults(asked);
  for (const [index, file] of asked.entries()) {
    if (!isKept(file)) {
      files.push(file);
      continue;
    }
    const { file_name, size, cid } = file;
    const at = unmatched.findIndex((one) => one.file_name === file_name && one.size === size && one.cid === cid);
    if (at >= 0) files.push(...unmatched.splice(at, 1));
    else {
      const detail = `the newest version has no file ${quoted(file_name)} of ${size} bytes with this cid, or fewer of them; give its data`;
      faults.push({ pointer: `/attachments/${index}`, code: 'file_not_kept', detail });
    }
  }
  return { files, faults };
}

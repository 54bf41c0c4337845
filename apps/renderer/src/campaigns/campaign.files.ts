import {
  isKeptFile,
  isUrlFile,
  quoted,
  repeatedCids,
  type AttachmentFileData,
  type CampaignAttachment,
  type CampaignFileKept,
} from '@lettermill/contract';
import type { AttachmentRef } from '@lettermill/events';
import type { Fault } from '@lettermill/problems';

/** A file of a launch: its content, or the stored file of the previous version. */
export type LaunchedFile = AttachmentFileData | AttachmentRef;

export const isStored = (file: LaunchedFile): file is AttachmentRef => 'blob' in file;

/** Two kept files may have the same cid: a version that was launched so can be launched again. */
function cidFaults(asked: CampaignAttachment[]): Fault[] {
  const files = asked.map((file, index) => ({
    pointer: `/attachments/${index}`,
    kept: isKeptFile(file),
    ...(file.cid !== undefined && { cid: file.cid }),
  }));
  return repeatedCids(files, undefined, (file, first) => file.kept && first.kept);
}

/** What a launch names a stored file by. Files that look the same may have different content. */
const looksOf = ({ file_name, size, cid }: CampaignFileKept | AttachmentRef) => JSON.stringify([file_name, size, cid]);

function groupedByLooks<File extends CampaignFileKept | AttachmentRef>(files: File[]): Map<string, File[]> {
  const groups = new Map<string, File[]>();
  for (const file of files) {
    const alike = groups.get(looksOf(file));
    if (alike) alike.push(file);
    else groups.set(looksOf(file), [file]);
  }
  return groups;
}

/** Whether keeping only some of these files, which look the same, could keep the wrong content. */
const isAmbiguous = (alike: AttachmentRef[], askedCount: number) =>
  askedCount < alike.length && new Set(alike.map(({ blob }) => blob)).size > 1;

function notKept({ file_name, size }: CampaignFileKept, index: number, ambiguous: boolean): Fault {
  const file = `${quoted(file_name)} of ${size} bytes with this cid`;
  const detail = ambiguous
    ? `the newest version has several files ${file}, and their content differs; give its data`
    : `the newest version has no file ${file}, or fewer of them; give its data`;
  return { pointer: `/attachments/${index}`, code: 'file_not_kept', detail };
}

/**
 * The gateway first asks with the addresses: these faults alone tell it that nothing else is wrong, and it asks again with the files. A
 * gateway of an earlier version answers them to its caller.
 */
function unfetchedFaults(asked: CampaignAttachment[]): Fault[] {
  const detail = 'this gateway fetches no files of campaigns: upgrade it, or give the file as base64';
  return asked.flatMap((file, index) =>
    isUrlFile(file) ? [{ pointer: `/attachments/${index}`, code: 'attachment_kind_unavailable' as const, detail }] : [],
  );
}

/** The files of a launch; those to be kept are matched with the stored ones, each of which can be kept only once. */
export function launchedFiles(
  asked: CampaignAttachment[],
  stored: AttachmentRef[],
): { files: LaunchedFile[]; faults: Fault[] } {
  const storedByLooks = groupedByLooks(stored);
  const askedByLooks = groupedByLooks(asked.filter(isKeptFile));
  const takenOf = new Map<string, number>();
  const files: LaunchedFile[] = [];
  const faults: Fault[] = cidFaults(asked);
  for (const [index, file] of asked.entries()) {
    if (!isKeptFile(file)) {
      if (!isUrlFile(file)) files.push(file);
      continue;
    }
    const looks = looksOf(file);
    const alike = storedByLooks.get(looks) ?? [];
    const taken = takenOf.get(looks) ?? 0;
    takenOf.set(looks, taken + 1);
    const ambiguous = isAmbiguous(alike, askedByLooks.get(looks)!.length);
    const match = alike[taken];
    if (match && !ambiguous) files.push(match);
    else faults.push(notKept(file, index, ambiguous));
  }
  return { files, faults: faults.length > 0 ? faults : unfetchedFaults(asked) };
}

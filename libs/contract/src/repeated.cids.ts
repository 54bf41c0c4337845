import type { Fault } from '@lettermill/problems';
import { quoted } from './fault.wording';

interface FileWithCid {
  pointer: string;
  cid?: string;
}

/**
 * Faults of files whose cid an earlier file has: a cid names one file of a message (RFC 2392, 2). `earlier` holds the earlier files by cid;
 * these files are added to it. `mayShare` says whether a file may share the cid of the first one.
 */
export function repeatedCids<File extends FileWithCid>(
  files: File[],
  earlier = new Map<string, File>(),
  mayShare: (file: File, first: File) => boolean = () => false,
): Fault[] {
  return files.flatMap((file): Fault[] => {
    const { cid, pointer } = file;
    if (cid === undefined) return [];
    const first = earlier.get(cid);
    if (!first) earlier.set(cid, file);
    if (!first || mayShare(file, first)) return [];
    const detail = `${quoted(cid)} is already the cid of ${first.pointer}.`;
    return [{ pointer: `${pointer}/cid`, code: 'cid_taken', detail }];
  });
}

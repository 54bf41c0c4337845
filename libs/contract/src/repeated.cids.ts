import type { Fault } from '@lettermill/problems';
import { quoted } from './shown';

interface FileNamed {
  pointer: string;
  cid?: string;
}

/**
 * Faults of files whose cid an earlier file has: a cid names one file of a message (RFC 2392, 2). `had` holds the earlier files by cid;
 * these files are added to it. `borne` says whether a file may share the cid of the first one.
 */
export function repeatedCids<File extends FileNamed>(
  files: File[],
  had = new Map<string, File>(),
  borne: (file: File, first: File) => boolean = () => false,
): Fault[] {
  return files.flatMap((file): Fault[] => {
    const { cid, pointer } = file;
    if (cid === undefined) return [];
    const first = had.get(cid);
    if (!first) had.set(cid, file);
    if (!first || borne(file, first)) return [];
    const detail = `${quoted(cid)} is already the cid of ${first.pointer}.`;
    return [{ pointer: `${pointer}/cid`, code: 'cid_taken', detail }];
  });
}

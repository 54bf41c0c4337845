import type { Fault } from '@lettermill/problems';
import { quoted } from './shown';

interface FileNamed {
  pointer: string;
  cid?: string;
}

/**
 * Faults of files whose cid one before them has: a cid names one file of a message (RFC 2392, 2). `had` are those that came before, and
 * takes these up. Some may be `borne` beside the one that has it.
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

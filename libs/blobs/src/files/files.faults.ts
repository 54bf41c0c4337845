import { StoreUnavailable } from '@lettermill/storage';

/** Faults that pass and say nothing of the blob: no room on the volume, no more open files, no memory, no right to it for now. */
const PASSING_CODES = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EACCES', 'EPERM', 'EROFS'];
/** An I/O error while reading may be the end of that blob: to wait for it would hold up what is behind it (ADR 12). */
const WHEN_READING = new Set(PASSING_CODES);
/** Another try writes to another place. */
const WHEN_WRITING = new Set([...PASSING_CODES, 'EIO']);

/** As `whileWriting`; an I/O error is one of the blob. */
export function whileReading<T>(work: () => Promise<T>): Promise<T> {
  return withDiskFaults(WHEN_READING, work);
}

/**
 * Resolves with the result of the work. Rejects with `StoreUnavailable` if the same may be tried again later, else with
 * the error of the file system.
 */
export function whileWriting<T>(work: () => Promise<T>): Promise<T> {
  return withDiskFaults(WHEN_WRITING, work);
}

async function withDiskFaults<T>(transientCodes: Set<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!transientCodes.has(code)) throw error;
    throw new StoreUnavailable(`blobs cannot be read or written for now: ${code}`, { cause: error });
  }
}

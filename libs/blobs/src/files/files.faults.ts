import { StoreUnavailable } from '@lettermill/storage';

/** Faults that pass and say nothing of the blob: no room on the volume, no more open files, no memory, no right to it for now. */
const TRANSIENT_ERROR_CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EACCES',
  'EPERM',
  'EROFS',
]);

/**
 * Resolves with the result of the work. Rejects with `StoreUnavailable` if the same may be tried again later, else with
 * the error of the file system.
 */
export async function withDiskFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!TRANSIENT_ERROR_CODES.has(code)) throw error;
    throw new StoreUnavailable(`blobs cannot be read or written for now: ${code}`, { cause: error });
  }
}

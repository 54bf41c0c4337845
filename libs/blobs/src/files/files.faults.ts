import { StoreUnavailable } from '@lettermill/storage';

/** No room on the volume, no more open files, no memory, no right to it for now: all of it passes, and says nothing of the blob. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EACCES', 'EPERM', 'EROFS']);

/** What comes of the work. Rejects with `StoreUnavailable` where the same may be tried again later, else as the file system does. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!PASSING.has(code)) throw error;
    throw new StoreUnavailable(`blobs cannot be read or written for now: ${code}`, { cause: error });
  }
}

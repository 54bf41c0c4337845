import { statfs } from 'node:fs/promises';
import { LogUnavailable } from '../log.port';

/** With fewer free bytes than this on its volume, the log cannot be relied on. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Resolves with the free bytes on the volume of a directory. */
export type FreeSpace = (directory: string) => Promise<number>;

export const freeSpace: FreeSpace = async (directory) => {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  // Free bytes are no use when no file can be created. File systems that do not count files report zero for both counts.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
};

/** Rejects with `LogUnavailable` while the volume of a directory is full. */
export async function mustHaveFreeSpace(directory: string, freeSpaceOf: FreeSpace = freeSpace): Promise<void> {
  if ((await freeSpaceOf(directory)) < MIN_FREE_BYTES)
    throw new LogUnavailable(`no space left on the volume of ${directory}`);
}

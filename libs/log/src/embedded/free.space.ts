import { statfs } from 'node:fs/promises';
import { LogUnavailable } from '../log.port';

/** With less on its volume the log can't be counted on. */
const LEAST_SPACE = 1024 * 1024;

/** Bytes that are free on the volume of a directory. */
export type FreeSpace = (directory: string) => Promise<number>;

export const freeSpace: FreeSpace = async (directory) => {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  // Where no file can be made any more, no bytes help. Some file systems do not count files: all zero.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
};

/** Rejects with `LogUnavailable` while the volume of a directory is full. */
export async function mustHaveRoom(directory: string, free: FreeSpace = freeSpace): Promise<void> {
  if ((await free(directory)) < LEAST_SPACE) throw new LogUnavailable(`no space left on the volume of ${directory}`);
}

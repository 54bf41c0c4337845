import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/**
 * Makes a folder, and those above it that are missing, each as durable as what is put into it. Rejects as the file system does: Node's own
 * way of making parents says of a full disk that there is no such folder.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes names that were put into a folder survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

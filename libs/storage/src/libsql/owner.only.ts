import { chmodSync, closeSync, openSync } from 'node:fs';

const OWNER_ONLY_MODE = 0o600;
const FILE_SUFFIXES = ['', '-wal', '-shm'];

/** Ignores errors: the connection that opens the file next reports what is wrong with it. */
function ignoringErrors(change: () => void): void {
  try {
    change();
  } catch {
    // It does not exist, or is another user's.
  }
}

/**
 * Makes the file accessible to its owner alone, whatever the folder allows others, and also if it was restored from a
 * copy; SQLite gives the files beside it the same mode. A file that exists is not opened: closing it would drop the locks
 * that this process has on it.
 */
export function restrictToOwner(path: string): void {
  ignoringErrors(() => closeSync(openSync(path, 'wx', OWNER_ONLY_MODE)));
  for (const ending of FILE_SUFFIXES) ignoringErrors(() => chmodSync(path + ending, OWNER_ONLY_MODE));
}

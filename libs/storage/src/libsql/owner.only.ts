import { chmodSync, closeSync, openSync } from 'node:fs';

const OWNER = 0o600;
const BESIDE = ['', '-wal', '-shm'];

/** Ignores errors: the connection that opens the file next reports what is wrong with it. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // It does not exist, or is another user's.
  }
}

/**
 * Makes the file accessible to its owner alone, whatever the folder allows others; SQLite gives the files beside it the
 * same mode. Must be called before any connection is opened: closing the file later would drop their locks.
 */
export function keepForOwner(path: string): void {
  attempt(() => closeSync(openSync(path, 'wx', OWNER)));
  for (const ending of BESIDE) attempt(() => chmodSync(path + ending, OWNER));
}

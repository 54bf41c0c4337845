import { chmodSync, closeSync, openSync } from 'node:fs';

const OWNER = 0o600;
const BESIDE = ['', '-wal', '-shm'];

/** Whoever opens the file next tells what is wrong with it. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // Not there, or another's.
  }
}

/**
 * The file for its owner alone, whatever the folder lets others do; SQLite gives those beside it the same mode. To be called before any
 * connection: to close the file later would drop their locks.
 */
export function keepForOwner(path: string): void {
  attempt(() => closeSync(openSync(path, 'wx', OWNER)));
  for (const ending of BESIDE) attempt(() => chmodSync(path + ending, OWNER));
}

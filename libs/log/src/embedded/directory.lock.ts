import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { restrictToOwner } from '@lettermill/storage';
import Database from 'libsql';
import { LogFault } from '../log.faults';

/** The file in the directory that is locked. */
export const LOCK_FILE = 'lock.db';

export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a directory for this process. The lock is the one that SQLite holds on a file during an exclusive transaction:
 * the operating system releases it however the process ends. Throws `LogFault` (`directory_locked`) when another
 * process holds it.
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, LOCK_FILE);
  // Whoever may only read the file can lock it, too, and so keep us out.
  restrictToOwner(path);
  const database = new Database(path, { timeout: 0 });
  try {
    // Of a file that this process may not write, SQLite takes a lock that keeps nobody out.
    accessSync(path, constants.R_OK | constants.W_OK);
    // In the rollback-journal mode of a new file this locks at once and writes nothing.
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const { code } = error as { code?: string };
    if (!code?.startsWith('SQLITE_BUSY')) throw error;
    throw new LogFault('directory_locked', `${directory} is in use by another process`);
  }
  return {
    release: () => {
      if (!database.open) return;
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

interface Connection {
  pragma(source: string): unknown;
}

/**
 * Moves the write-ahead log into the file. After a failed sync, the end of the log of a process that died may be in the
 * kernel's memory only, marked clean: its pages are written again, so that nothing builds on them. A volume without
 * room for them does not end the process: the log then stays as it is.
 */
export function checkpointLeftoverWal(database: Connection): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_FULL') throw error;
  }
}

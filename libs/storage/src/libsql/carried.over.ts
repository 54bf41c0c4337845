interface Connection {
  pragma(source: string): unknown;
}

/**
 * Empties the write-ahead log into the file. After a failed sync the kernel may hold the end of the log of a process that died in memory alone, and
 * call it clean: none of it is built upon, its pages are written anew. A volume without room for them ends no process: the log then stays as it is.
 */
export function carryOver(database: Connection): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_FULL') throw error;
  }
}

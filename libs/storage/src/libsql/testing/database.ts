import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '../sql.database';

export interface OpenDatabase {
  database: SqlDatabase;
  close(): Promise<void>;
}

/** A database in a directory of its own, removed when it is closed. */
export async function openDatabase(): Promise<OpenDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'lettermill-sql-'));
  const database = new SqlDatabase(join(directory, 'test.db'));
  return {
    database,
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

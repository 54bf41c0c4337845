import type { SqlDatabase } from '@lettermill/storage';
import type { KeyStore, StoredKey } from './keys.store';

export class LibsqlKeyStore implements KeyStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('gateway.keys', [
      {
        name: '1-keys',
        statements: [
          `CREATE TABLE gateway_keys (
             hash TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at INTEGER NOT NULL
           ) WITHOUT ROWID`,
        ],
      },
    ]);
  }

  async all(): Promise<StoredKey[]> {
    const rows = await this.database.read('SELECT hash, account_id, created_at FROM gateway_keys');
    return rows.map((row) => ({
      hash: String(row.hash),
      accountId: String(row.account_id),
      createdAt: Number(row.created_at),
    }));
  }

  async add({ hash, accountId, createdAt }: StoredKey): Promise<void> {
    await this.database.write([
      { sql: 'INSERT OR IGNORE INTO gateway_keys VALUES (?, ?, ?)', rows: [[hash, accountId, createdAt]] },
    ]);
  }

  async remove(hash: string): Promise<void> {
    await this.database.write([{ sql: 'DELETE FROM gateway_keys WHERE hash = ?', rows: [[hash]] }]);
  }
}

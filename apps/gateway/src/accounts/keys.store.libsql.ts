import type { SqlDatabase } from '@lettermill/storage';
import type { KeyStore, Revocation, StoredKey } from './keys.store';

const ADD = `INSERT OR IGNORE INTO gateway_keys (hash, account_id, created_at, name) SELECT ?1, ?2, ?3, ?4
  WHERE (SELECT count(*) FROM gateway_keys WHERE account_id = ?2) < ?5`;
const IS_KEY = 'SELECT 1 FROM gateway_keys WHERE hash = ?';
const REVOKE = `DELETE FROM gateway_keys WHERE hash = ?1 AND EXISTS (SELECT 1 FROM gateway_keys WHERE hash = ?2)`;

export class LibsqlKeyStore implements KeyStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('gateway.keys', [
      {
        name: '1-keys',
        statements: [
          `CREATE TABLE gateway_keys (
             hash TEXT PRIMARY KEY, account_id TEXT NOT NULL, name TEXT, created_at INTEGER NOT NULL
           ) WITHOUT ROWID`,
        ],
      },
    ]);
  }

  async all(): Promise<StoredKey[]> {
    const rows = await this.database.read('SELECT hash, account_id, created_at, name FROM gateway_keys');
    return rows.map((row) => ({
      hash: String(row.hash),
      accountId: String(row.account_id),
      name: row.name === null ? null : String(row.name),
      createdAt: Number(row.created_at),
    }));
  }

  async add({ hash, accountId, name, createdAt }: StoredKey, most = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    const [result] = await this.database.write([{ sql: ADD, rows: [[hash, accountId, createdAt, name, most]] }]);
    return result!.changes[0] === 1;
  }

  async remove(hash: string): Promise<void> {
    await this.database.write([{ sql: 'DELETE FROM gateway_keys WHERE hash = ?', rows: [[hash]] }]);
  }

  async revoke(hash: string, by: string): Promise<Revocation> {
    const steps = [
      { sql: IS_KEY, rows: [[by]] },
      { sql: REVOKE, rows: [[hash, by]] },
    ];
    const [caller] = await this.database.write(steps);
    return caller!.rows.length > 0 ? 'revoked' : 'caller_revoked';
  }
}

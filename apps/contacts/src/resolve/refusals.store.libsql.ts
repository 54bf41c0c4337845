import type { ReasonCode } from '@lettermill/problems';
import type { SqlDatabase } from '@lettermill/storage';
import type { MessageRef, RefusalsStore, StoredRefusal } from './refusals.store';

const TABLE = [
  `CREATE TABLE contacts_refusal (
    account_id TEXT NOT NULL, message_id TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, address TEXT,
    at INTEGER NOT NULL, PRIMARY KEY (account_id, message_id)) WITHOUT ROWID`,
  'CREATE INDEX contacts_refusal_at ON contacts_refusal (at)',
];

const LOAD = `SELECT r.* FROM json_each(?) AS asked
  CROSS JOIN contacts_refusal AS r ON r.account_id = asked.value->>0 AND r.message_id = asked.value->>1`;

const SWEEP = `DELETE FROM contacts_refusal WHERE (account_id, message_id) IN
  (SELECT account_id, message_id FROM contacts_refusal WHERE at < ? LIMIT ?)`;

const RECORD = `INSERT INTO contacts_refusal VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

export class LibsqlRefusalsStore implements RefusalsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.refusals', [{ name: '1-refusals', statements: TABLE }]);
  }

  async load(messages: MessageRef[]): Promise<StoredRefusal[]> {
    const asked = messages.map(({ accountId, messageId }) => [accountId, messageId]);
    const rows = await this.database.read(LOAD, [JSON.stringify(asked)]);
    return rows.map((row) => ({
      accountId: row.account_id as string,
      messageId: row.message_id as string,
      reason: { code: row.code as ReasonCode, detail: row.detail as string },
      address: row.address as string | null,
    }));
  }

  async record(refusals: StoredRefusal[], now: number): Promise<void> {
    if (refusals.length === 0) return;
    const rows = refusals.map(({ accountId, messageId, reason, address }) => [
      accountId,
      messageId,
      reason.code,
      reason.detail,
      address,
      now,
    ]);
    await this.database.write([{ sql: RECORD, rows }]);
  }

  async sweep(before: number, limit: number): Promise<boolean> {
    const [swept] = await this.database.write([{ sql: SWEEP, rows: [[before, limit]] }]);
    return swept!.changes[0]! >= limit;
  }
}

import type { SqlDatabase, SqlRow } from '@lettermill/storage';
import type { AddressRef, Suppression, SuppressionPlace, SuppressionsStore } from './suppressions.store';

const TABLE = [
  `CREATE TABLE contacts_suppression (
    account_id TEXT NOT NULL, address TEXT NOT NULL, reason TEXT NOT NULL, message_id TEXT NOT NULL,
    at INTEGER NOT NULL, released_at INTEGER, PRIMARY KEY (account_id, address)) WITHOUT ROWID`,
  `CREATE INDEX contacts_suppression_newest ON contacts_suppression (account_id, at, address)
    WHERE released_at IS NULL`,
];

/** A released address keeps its row, so that a bounce of before, read again, does not bring it back. */
const ADD = `INSERT INTO contacts_suppression VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT (account_id, address) DO UPDATE
  SET reason = excluded.reason, message_id = excluded.message_id, at = excluded.at, released_at = NULL
  WHERE (released_at IS NOT NULL AND excluded.at > released_at)
    OR (released_at IS NULL AND reason = 'unsubscribed' AND excluded.reason <> 'unsubscribed')`;

const FIND = `SELECT s.* FROM json_each(?) AS asked CROSS JOIN contacts_suppression AS s
  ON s.account_id = asked.value->>0 AND s.address = asked.value->>1 WHERE s.released_at IS NULL`;

const LIST = `SELECT * FROM contacts_suppression INDEXED BY contacts_suppression_newest
  WHERE account_id = ? AND released_at IS NULL AND (at, address) < (?, ?)
  ORDER BY at DESC, address DESC LIMIT ?`;

const RELEASE = `UPDATE contacts_suppression SET released_at = ?
  WHERE account_id = ? AND address = ? AND released_at IS NULL`;

function suppressionOf(row: SqlRow): Suppression {
  return {
    accountId: row.account_id as string,
    address: row.address as string,
    reason: row.reason as string,
    messageId: row.message_id as string,
    at: row.at as number,
  };
}

export class LibsqlSuppressionsStore implements SuppressionsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.suppressions', [{ name: '001-suppressions', statements: TABLE }]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    if (suppressions.length === 0) return;
    const rows = suppressions.map(({ accountId, address, reason, messageId, at }) => [
      ...[accountId, address, reason, messageId],
      at,
    ]);
    await this.database.write([{ sql: ADD, rows }]);
  }

  async find(refs: AddressRef[]): Promise<Suppression[]> {
    if (refs.length === 0) return [];
    const asked = refs.map(({ accountId, address }) => [accountId, address]);
    return (await this.database.read(FIND, [JSON.stringify(asked)])).map(suppressionOf);
  }

  async list(accountId: string, limit: number, after: SuppressionPlace | null): Promise<Suppression[]> {
    const { at, address } = after ?? { at: Number.MAX_SAFE_INTEGER, address: '' };
    return (await this.database.read(LIST, [accountId, at, address, limit])).map(suppressionOf);
  }

  async release({ accountId, address }: AddressRef, now: number): Promise<boolean> {
    const [result] = await this.database.write([{ sql: RELEASE, rows: [[now, accountId, address]] }]);
    return result!.changes[0]! > 0;
  }
}

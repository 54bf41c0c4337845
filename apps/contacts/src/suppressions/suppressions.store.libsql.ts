import type { SqlDatabase, SqlRow } from '@lettermill/storage';
import { UNSUBSCRIBED } from './suppression';
import type { AddressRef, Suppressed, Suppression, SuppressionPlace, SuppressionsStore } from './suppressions.store';

/** Beside a stronger cause it keeps the unsubscription; causes from before `cleared_at`, the last release, do not count again. */
const TABLE = [
  `CREATE TABLE contacts_suppression (
    account_id TEXT NOT NULL, address TEXT NOT NULL, reason TEXT NOT NULL, message_id TEXT NOT NULL,
    at INTEGER NOT NULL, released_at INTEGER, unsubscribed_at INTEGER, unsubscribed_by TEXT, cleared_at INTEGER,
    PRIMARY KEY (account_id, address)) WITHOUT ROWID`,
  `CREATE INDEX contacts_suppression_newest ON contacts_suppression (account_id, at, address)
    WHERE released_at IS NULL`,
  `CREATE INDEX contacts_suppression_reason ON contacts_suppression (account_id, reason, at, address)
    WHERE released_at IS NULL`,
];

/** A released address keeps its row, so that an earlier bounce that is read again does not suppress it again. */
const ADD = `INSERT INTO contacts_suppression (account_id, address, reason, message_id, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account_id, address) DO UPDATE
  SET reason = excluded.reason, message_id = excluded.message_id, at = excluded.at, released_at = NULL
  WHERE released_at IS NOT NULL AND excluded.at > released_at`;

const IS_CURRENT = `account_id = ?1 AND address = ?2 AND released_at IS NULL AND ?5 > ifnull(cleared_at, -1)`;

/** A stronger cause replaces an unsubscription, which is kept beside it. */
const STRENGTHEN = `UPDATE contacts_suppression SET unsubscribed_at = at, unsubscribed_by = message_id,
  reason = ?3, message_id = ?4, at = ?5 WHERE ${IS_CURRENT} AND reason = '${UNSUBSCRIBED}' AND ?3 <> reason`;

/** An unsubscription is recorded beside a stronger cause. */
const ADD_UNSUBSCRIPTION = `UPDATE contacts_suppression SET unsubscribed_at = ?5, unsubscribed_by = ?4
  WHERE ${IS_CURRENT} AND reason <> '${UNSUBSCRIBED}' AND ?3 = '${UNSUBSCRIBED}' AND unsubscribed_at IS NULL`;

const FIND = `SELECT s.* FROM json_each(?) AS asked CROSS JOIN contacts_suppression AS s
  ON s.account_id = asked.value->>0 AND s.address = asked.value->>1 WHERE s.released_at IS NULL`;

const listQuery = (index: string, also: string) => `SELECT * FROM contacts_suppression
  INDEXED BY contacts_suppression_${index} WHERE account_id = ? ${also} AND released_at IS NULL AND (at, address) < (?, ?)
  ORDER BY at DESC, address DESC LIMIT ?`;
export const LIST = listQuery('newest', '');
export const LIST_OF_REASON = listQuery('reason', 'AND reason = ?');

const RELEASE = `UPDATE contacts_suppression SET cleared_at = ?1, unsubscribed_at = NULL, unsubscribed_by = NULL,
  released_at = iif(unsubscribed_at IS NULL, ?1, NULL), reason = iif(unsubscribed_at IS NULL, reason, '${UNSUBSCRIBED}'),
  message_id = ifnull(unsubscribed_by, message_id), at = ifnull(unsubscribed_at, at)
  WHERE account_id = ?2 AND address = ?3 AND released_at IS NULL AND reason = ifnull(?4, reason)`;

function suppressedOf(row: SqlRow): Suppressed {
  const [reason, at] = [row.reason as string, row.at as number];
  return {
    accountId: row.account_id as string,
    address: row.address as string,
    reason,
    messageId: row.message_id as string,
    at,
    unsubscribedAt: reason === UNSUBSCRIBED ? at : (row.unsubscribed_at as number | null),
  };
}

export class LibsqlSuppressionsStore implements SuppressionsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.suppressions', [{ name: '1-suppressions', statements: TABLE }]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    if (suppressions.length === 0) return;
    const rows = suppressions.map(({ accountId, address, reason, messageId, at }) => [
      accountId,
      address,
      reason,
      messageId,
      at,
    ]);
    await this.database.write([ADD, STRENGTHEN, ADD_UNSUBSCRIPTION].map((sql) => ({ sql, rows })));
  }

  async find(refs: AddressRef[]): Promise<Suppressed[]> {
    if (refs.length === 0) return [];
    const asked = refs.map(({ accountId, address }) => [accountId, address]);
    return (await this.database.read(FIND, [JSON.stringify(asked)])).map(suppressedOf);
  }

  async list(accountId: string, limit: number, after: SuppressionPlace | null, reason?: string): Promise<Suppressed[]> {
    const { at, address } = after ?? { at: Number.MAX_SAFE_INTEGER, address: '' };
    const place = [at, address, limit];
    const rows =
      reason === undefined
        ? this.database.read(LIST, [accountId, ...place])
        : this.database.read(LIST_OF_REASON, [accountId, reason, ...place]);
    return (await rows).map(suppressedOf);
  }

  async release({ accountId, address }: AddressRef, now: number, reason?: string): Promise<boolean> {
    const [result] = await this.database.write([{ sql: RELEASE, rows: [[now, accountId, address, reason ?? null]] }]);
    return result!.changes[0]! > 0;
  }
}

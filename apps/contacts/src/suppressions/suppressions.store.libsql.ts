import type { SqlDatabase, SqlRow, SqlStep } from '@lettermill/storage';
import { COMPLAINED, UNSUBSCRIBED } from './suppression';
import {
  MAX_REMEMBERED_EVENTS,
  type AddressRef,
  type Suppressed,
  type Suppression,
  type SuppressionPlace,
  type SuppressionsStore,
} from './suppressions.store';

/** Beside a stronger cause it keeps the unsubscription; causes from before `cleared_at`, the last release, do not count again. */
export const TABLE = [
  `CREATE TABLE contacts_suppression (
    account_id TEXT NOT NULL, address TEXT NOT NULL, reason TEXT NOT NULL, message_id TEXT NOT NULL,
    at INTEGER NOT NULL, released_at INTEGER, unsubscribed_at INTEGER, unsubscribed_by TEXT, cleared_at INTEGER,
    PRIMARY KEY (account_id, address)) WITHOUT ROWID`,
  `CREATE INDEX contacts_suppression_newest ON contacts_suppression (account_id, at, address)
    WHERE released_at IS NULL`,
  `CREATE INDEX contacts_suppression_reason ON contacts_suppression (account_id, reason, at, address)
    WHERE released_at IS NULL`,
];

/** `bounces_cleared_at`: a release of another reason than a complaint, from before which complaints still count. */
const ADD_MEMORY = [
  `ALTER TABLE contacts_suppression ADD COLUMN bounces_cleared_at INTEGER`,
  `ALTER TABLE contacts_suppression ADD COLUMN event_ids TEXT NOT NULL DEFAULT '[]'`,
];

const IS_REMEMBERED = `EXISTS (SELECT 1 FROM json_each(event_ids) WHERE value = ?6)`;

const COUNTS = `NOT ${IS_REMEMBERED} AND ?5 > ifnull(cleared_at, -1)
  AND (?3 = '${COMPLAINED}' OR ?5 > ifnull(bounces_cleared_at, -1))`;

/** A released address keeps its row, so that an earlier bounce that is read again does not suppress it again. */
const ADD = `INSERT INTO contacts_suppression (account_id, address, reason, message_id, at) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (account_id, address) DO UPDATE
  SET reason = excluded.reason, message_id = excluded.message_id, at = excluded.at, released_at = NULL
  WHERE released_at IS NOT NULL AND ${COUNTS}`;

const IS_CURRENT = `account_id = ?1 AND address = ?2 AND released_at IS NULL AND ${COUNTS}`;

/** A stronger cause replaces another; an unsubscription is kept beside it. */
const STRENGTHEN = `UPDATE contacts_suppression SET
  unsubscribed_at = iif(reason = '${UNSUBSCRIBED}', at, unsubscribed_at),
  unsubscribed_by = iif(reason = '${UNSUBSCRIBED}', message_id, unsubscribed_by),
  reason = ?3, message_id = ?4, at = ?5
  WHERE ${IS_CURRENT} AND reason <> ?3 AND (reason = '${UNSUBSCRIBED}' OR ?3 = '${COMPLAINED}')`;

/** An unsubscription is recorded beside a stronger cause. */
const ADD_UNSUBSCRIPTION = `UPDATE contacts_suppression SET unsubscribed_at = ?5, unsubscribed_by = ?4
  WHERE ${IS_CURRENT} AND reason <> '${UNSUBSCRIBED}' AND ?3 = '${UNSUBSCRIBED}' AND unsubscribed_at IS NULL`;

/** Appends the event, and forgets the first if there are more than are remembered. */
const REMEMBER = `UPDATE contacts_suppression SET event_ids = json_remove(json_insert(event_ids, '$[#]', ?6),
  iif(json_array_length(event_ids) < ${MAX_REMEMBERED_EVENTS}, '$[${MAX_REMEMBERED_EVENTS}]', '$[0]'))
  WHERE account_id = ?1 AND address = ?2 AND ?6 IS NOT NULL AND NOT ${IS_REMEMBERED}`;

const FIND = `SELECT s.* FROM json_each(?) AS asked CROSS JOIN contacts_suppression AS s
  ON s.account_id = asked.value->>0 AND s.address = asked.value->>1 WHERE s.released_at IS NULL`;

const listQuery = (index: string, also: string) => `SELECT * FROM contacts_suppression
  INDEXED BY contacts_suppression_${index} WHERE account_id = ? ${also} AND released_at IS NULL AND (at, address) < (?, ?)
  ORDER BY at DESC, address DESC LIMIT ?`;
export const LIST = listQuery('newest', '');
export const LIST_OF_REASON = listQuery('reason', 'AND reason = ?');

const RELEASE = `UPDATE contacts_suppression SET unsubscribed_at = NULL, unsubscribed_by = NULL,
  cleared_at = iif(?4 <> '${COMPLAINED}', cleared_at, ?1),
  bounces_cleared_at = iif(?4 <> '${COMPLAINED}', ?1, bounces_cleared_at),
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

/** What counts depends on the causes before it, also of the same call. */
function addSteps({ accountId, address, reason, messageId, at, eventId }: Suppression): SqlStep[] {
  const cause = [accountId, address, reason, messageId, at, eventId ?? null];
  return [ADD, STRENGTHEN, ADD_UNSUBSCRIPTION, REMEMBER].map((sql) => ({ sql, rows: [cause] }));
}

export class LibsqlSuppressionsStore implements SuppressionsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.suppressions', [
      { name: '1-suppressions', statements: TABLE },
      { name: '2-memory', statements: ADD_MEMORY },
    ]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    if (suppressions.length === 0) return;
    await this.database.write(suppressions.flatMap(addSteps));
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

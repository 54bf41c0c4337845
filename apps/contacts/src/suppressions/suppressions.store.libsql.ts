import type { SqlDatabase, SqlRow } from '@lettermill/storage';
import { COMPLAINED, MANUAL, NO_MESSAGE, STRENGTH_OF_BOUNCE, strengthOf, STRENGTHS, UNSUBSCRIBED } from './suppression';
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

/** When somebody suppressed the address by hand, behind a stronger cause. No message was the cause of that. */
const ADD_MANUAL = [`ALTER TABLE contacts_suppression ADD COLUMN manual_at INTEGER`];

const COUNTS = `?5 > ifnull(cleared_at, -1) AND (?3 = '${COMPLAINED}' OR ?5 > ifnull(bounces_cleared_at, -1))`;

const STRENGTH = `CASE reason ${[...STRENGTHS].map(([reason, strength]) => `WHEN '${reason}' THEN ${strength}`).join(' ')}
  ELSE ${STRENGTH_OF_BOUNCE} END`;

const IS_SHOWN = `(${COUNTS} AND (released_at IS NOT NULL OR ?7 > ${STRENGTH}))`;

/** What a column of a cause that is kept has from now on: what was shown of it, if it is behind now, or what is given and not shown. */
const kept = (reason: string, column: string, shown: string, given: string) => `${column} = CASE
  WHEN released_at IS NOT NULL THEN NULL
  WHEN ${IS_SHOWN} THEN iif(reason = '${reason}', ${shown}, ${column})
  WHEN ?3 = '${reason}' AND reason <> ?3 AND ${COUNTS} THEN ifnull(${column}, ${given})
  ELSE ${column} END`;

/** Forgets the first event if there are more than are remembered. */
const REMEMBERED = `json_remove(json_insert(event_ids, '$[#]', ?6),
  iif(json_array_length(event_ids) < ${MAX_REMEMBERED_EVENTS}, '$[${MAX_REMEMBERED_EVENTS}]', '$[0]'))`;

/**
 * What counts depends on the causes before it, also of the same call. A released address keeps its row, so that an earlier bounce that is
 * read again does not suppress it again.
 */
const ADD = `INSERT INTO contacts_suppression (account_id, address, reason, message_id, at, event_ids)
  VALUES (?1, ?2, ?3, ?4, ?5, iif(?6 IS NULL, '[]', json_array(?6)))
  ON CONFLICT (account_id, address) DO UPDATE SET
  reason = iif(${IS_SHOWN}, ?3, reason), message_id = iif(${IS_SHOWN}, ?4, message_id), at = iif(${IS_SHOWN}, ?5, at),
  released_at = iif(${IS_SHOWN}, NULL, released_at),
  ${kept(MANUAL, 'manual_at', 'at', '?5')},
  ${kept(UNSUBSCRIBED, 'unsubscribed_at', 'at', '?5')},
  ${kept(UNSUBSCRIBED, 'unsubscribed_by', 'message_id', '?4')},
  event_ids = iif(?6 IS NULL, event_ids, ${REMEMBERED})
  WHERE NOT EXISTS (SELECT 1 FROM json_each(event_ids) WHERE value = ?6)`;

const FIND = `SELECT s.* FROM json_each(?) AS asked CROSS JOIN contacts_suppression AS s
  ON s.account_id = asked.value->>0 AND s.address = asked.value->>1 WHERE s.released_at IS NULL`;

const listQuery = (index: string, also: string) => `SELECT * FROM contacts_suppression
  INDEXED BY contacts_suppression_${index} WHERE account_id = ? ${also} AND released_at IS NULL AND (at, address) < (?, ?)
  ORDER BY at DESC, address DESC LIMIT ?`;
export const LIST = listQuery('newest', '');
export const LIST_OF_REASON = listQuery('reason', 'AND reason = ?');

/** The strongest of what is behind the cause is shown then. */
const RELEASE = `UPDATE contacts_suppression SET
  cleared_at = iif(?4 <> '${COMPLAINED}', cleared_at, ?1),
  bounces_cleared_at = iif(?4 <> '${COMPLAINED}', ?1, bounces_cleared_at),
  released_at = iif(coalesce(manual_at, unsubscribed_at) IS NULL, ?1, NULL),
  reason = CASE WHEN manual_at IS NOT NULL THEN '${MANUAL}' WHEN unsubscribed_at IS NOT NULL THEN '${UNSUBSCRIBED}' ELSE reason END,
  message_id = iif(manual_at IS NULL, ifnull(unsubscribed_by, message_id), '${NO_MESSAGE}'),
  at = coalesce(manual_at, unsubscribed_at, at),
  unsubscribed_at = iif(manual_at IS NULL, NULL, unsubscribed_at),
  unsubscribed_by = iif(manual_at IS NULL, NULL, unsubscribed_by),
  manual_at = NULL
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
    manualAt: reason === MANUAL ? at : (row.manual_at as number | null),
  };
}

export class LibsqlSuppressionsStore implements SuppressionsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.suppressions', [
      { name: '1-suppressions', statements: TABLE },
      { name: '2-memory', statements: ADD_MEMORY },
      { name: '3-manual', statements: ADD_MANUAL },
    ]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    if (suppressions.length === 0) return;
    const rows = suppressions.map(({ accountId, address, reason, messageId, at, eventId = null }) => {
      return [accountId, address, reason, messageId, at, eventId, strengthOf(reason)];
    });
    await this.database.write([{ sql: ADD, rows }]);
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

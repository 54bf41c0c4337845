import type { SqlDatabase, SqlRow, SqlStep, SqlValue } from '@lettermill/storage';
import type { Fact } from './message.facts';
import type { MessageChange, MessageRecord, MessageRef, SearchKeys } from './message.record';
import { rowsOfPage, type FoundRow } from './messages.page';
import { isNarrow } from './messages.search';
import { searchQueries } from './messages.search.libsql';
import type { MessageFilter, MessagePage, MessagesFound, MessagesStore } from './messages.store';

/** Columns that an index has beside its order, for conditions on them: while a hop is away, a state may have very many messages. */
const COMPARED = 'created_at, late, campaign_slug, campaign_id';

/** The facts come last: to read a column behind them, SQLite would read every page that they fill. */
const TABLES = [
  `CREATE TABLE tracker_message (
    account_id TEXT NOT NULL, message_id TEXT NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL,
    request_id TEXT, external_message_id TEXT, campaign_id TEXT, campaign_slug TEXT, created_at INTEGER, late INTEGER,
    reason TEXT, facts TEXT NOT NULL, PRIMARY KEY (account_id, message_id))`,
  `CREATE INDEX tracker_message_external ON tracker_message (account_id, external_message_id, message_id)
    WHERE external_message_id IS NOT NULL`,
  `CREATE INDEX tracker_message_request ON tracker_message (account_id, request_id, message_id)`,
  `CREATE INDEX tracker_message_campaign ON tracker_message (account_id, campaign_id, message_id)`,
  `CREATE INDEX tracker_message_slug ON tracker_message (account_id, campaign_slug, message_id)`,
  `CREATE INDEX tracker_message_state ON tracker_message (account_id, state, message_id, ${COMPARED})`,
  `CREATE INDEX tracker_message_late ON tracker_message (account_id, message_id) WHERE late = 1`,
  `CREATE INDEX tracker_message_reason ON tracker_message (account_id, reason, message_id, ${COMPARED})
    WHERE reason IS NOT NULL`,
  `CREATE TABLE tracker_term (
    account_id TEXT NOT NULL, term TEXT NOT NULL, message_id TEXT NOT NULL,
    PRIMARY KEY (account_id, term, message_id)) WITHOUT ROWID`,
];

const LOAD = `SELECT m.account_id, m.message_id, m.revision, m.facts FROM json_each(?) AS asked
  CROSS JOIN tracker_message AS m ON m.account_id = asked.value->>0 AND m.message_id = asked.value->>1`;

const INSERT = `INSERT INTO tracker_message (state, facts, revision, account_id, message_id,
  request_id, external_message_id, campaign_id, campaign_slug, created_at, late, reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

/** This and `UPDATE_SEARCH_KEYS` run before `UPDATE_STATE`, while the row still has the revision that the change is based on. */
const UPDATE_REASON = `UPDATE tracker_message SET reason = ? WHERE account_id = ? AND message_id = ? AND revision = ?`;

const UPDATE_SEARCH_KEYS = `UPDATE tracker_message SET request_id = ?, external_message_id = ?, campaign_id = ?,
  campaign_slug = ?, created_at = ?, late = ? WHERE account_id = ? AND message_id = ? AND revision = ?`;

/** Sets only these columns: SQLite rewrites an index only if one of its columns is set. */
const UPDATE_STATE = `UPDATE tracker_message SET state = ?, facts = ?, revision = ?
  WHERE account_id = ? AND message_id = ? AND revision = ?`;

/** Terms hold for the message whichever save adds them, so they need no revision. */
const ADD_TERM = `INSERT INTO tracker_term VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

const NO_SEARCH_KEYS: SqlValue[] = [null, null, null, null, null, null];

function columnsOf(keys: SearchKeys): SqlValue[] {
  const { requestId, externalMessageId, campaignId, campaignSlug, createdAt, late } = keys;
  return [requestId, externalMessageId, campaignId, campaignSlug, createdAt, late ? 1 : 0];
}

function recordOf(row: SqlRow): MessageRecord {
  return {
    accountId: row.account_id as string,
    messageId: row.message_id as string,
    facts: JSON.parse(row.facts as string) as Fact[],
    revision: row.revision as number,
  };
}

type FoundMessage = SqlRow & FoundRow & { message_id: string };

function savedValues({ accountId, messageId, facts, state, revision }: MessageChange): SqlValue[] {
  return [state, JSON.stringify(facts), revision + 1, accountId, messageId];
}

export class LibsqlMessagesStore implements MessagesStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('tracker', [{ name: '1-messages', statements: TABLES }]);
  }

  async load(refs: MessageRef[]): Promise<MessageRecord[]> {
    if (refs.length === 0) return [];
    const asked = refs.map(({ accountId, messageId }) => [accountId, messageId]);
    return (await this.database.read(LOAD, [JSON.stringify(asked)])).map(recordOf);
  }

  async save(changes: MessageChange[]): Promise<MessageRef[]> {
    if (changes.length === 0) return [];
    const made = changes.filter(({ revision }) => revision === 0);
    const moved = changes.filter(({ revision }) => revision > 0);
    const steps: SqlStep[] = [
      {
        sql: INSERT,
        rows: made.map((one) => [
          ...savedValues(one),
          ...(one.accepted ? columnsOf(one.accepted) : NO_SEARCH_KEYS),
          one.reason ?? null,
        ]),
      },
      {
        sql: UPDATE_REASON,
        rows: moved.flatMap(({ reason, accountId, messageId, revision }) =>
          reason === undefined ? [] : [[reason, accountId, messageId, revision]],
        ),
      },
      {
        sql: UPDATE_SEARCH_KEYS,
        rows: moved.flatMap(({ accepted, accountId, messageId, revision }) =>
          accepted ? [[...columnsOf(accepted), accountId, messageId, revision]] : [],
        ),
      },
      { sql: UPDATE_STATE, rows: moved.map((one) => [...savedValues(one), one.revision]) },
      {
        sql: ADD_TERM,
        rows: changes.flatMap(({ accountId, messageId, terms }) => terms.map((term) => [accountId, term, messageId])),
      },
    ];
    const [inserted, , , advanced] = await this.database.write(steps);
    const lost = (kept: MessageChange[], results: number[]) => kept.filter((_, index) => results[index] === 0);
    return [...lost(made, inserted!.changes), ...lost(moved, advanced!.changes)];
  }

  async search(accountId: string, filter: MessageFilter, page: MessagePage): Promise<MessagesFound> {
    const queries = searchQueries(accountId, filter, page);
    const narrow = isNarrow(filter);
    const walked = ({ sql, params }: (typeof queries)[number]) =>
      narrow ? this.database.readVaried(sql, params) : this.database.search(sql, params);
    const found = (await Promise.all(queries.map(walked))).flat() as FoundMessage[];
    if (queries.length > 1) found.sort((a, b) => (a.message_id < b.message_id ? 1 : -1));
    const rows = rowsOfPage(found, page.limit);
    return { records: rows.map(recordOf), hasMore: rows.length < found.length };
  }
}

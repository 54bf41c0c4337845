import { idTime } from '@lettermill/events';
import type { SqlStep, SqlValue } from '@lettermill/storage';
import { TERMINAL } from './delivery';
import type { SweptBefore } from './deliveries.store';

const ENDED = TERMINAL.map((state) => `'${state}'`).join(', ');

/** One step of the key for each account, however many deliveries it has. */
export const ACCOUNTS = `WITH RECURSIVE found(account_id) AS (
  SELECT min(account_id) FROM dispatch_deliveries
  UNION ALL
  SELECT (SELECT min(account_id) FROM dispatch_deliveries WHERE account_id > found.account_id)
    FROM found WHERE found.account_id IS NOT NULL)
  SELECT account_id FROM found WHERE account_id IS NOT NULL`;

/** From the contents to their deliveries: the other way each step would go along everything that was ever sent. */
const CONTENTS = `DELETE FROM dispatch_contents WHERE rowid IN (
  SELECT c.rowid FROM dispatch_contents AS c
    CROSS JOIN dispatch_deliveries AS d ON d.account_id = c.account_id AND d.message_id = c.message_id
    WHERE c.account_id = ? AND c.message_id < ? AND d.state IN (${ENDED}) LIMIT ?)`;

const DELIVERIES = `DELETE FROM dispatch_deliveries WHERE (account_id, message_id) IN (
  SELECT account_id, message_id FROM dispatch_deliveries
    WHERE account_id = ? AND message_id < ? AND state IN (${ENDED}) LIMIT ?)`;

/** Ids tell the time, and the tables are in their order: what is old lies at the front, and is gone once it was swept. */
export function sweepSteps(accountId: SqlValue, { contents, deliveries }: SweptBefore, limit: number): SqlStep[] {
  const step = (sql: string, before: number | null): SqlStep[] =>
    before === null ? [] : [{ sql, rows: [[accountId, idTime(before), limit]] }];
  return [...step(CONTENTS, contents), ...step(DELIVERIES, deliveries)];
}

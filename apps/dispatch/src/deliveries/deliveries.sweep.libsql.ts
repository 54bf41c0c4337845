import { idTime } from '@lettermill/events';
import type { SqlStep, SqlValue } from '@lettermill/storage';
import { ENDED } from './deliveries.batches.libsql';
import type { SweptBefore } from './deliveries.store';

/** Takes one step of the primary key per account, however many deliveries it has. */
export const ACCOUNTS = `WITH RECURSIVE found(account_id) AS (
  SELECT min(account_id) FROM dispatch_deliveries
  UNION ALL
  SELECT (SELECT min(account_id) FROM dispatch_deliveries WHERE account_id > found.account_id)
    FROM found WHERE found.account_id IS NOT NULL)
  SELECT account_id FROM found WHERE account_id IS NOT NULL`;

/** Joins from contents to deliveries: the other way round, each step would scan everything that was ever sent. */
const CONTENTS = `DELETE FROM dispatch_contents WHERE rowid IN (
  SELECT c.rowid FROM dispatch_contents AS c
    CROSS JOIN dispatch_deliveries AS d ON d.account_id = c.account_id AND d.message_id = c.message_id
    WHERE c.account_id = ? AND c.message_id < ? AND d.state IN (${ENDED}) LIMIT ?)`;

const DELIVERIES = `DELETE FROM dispatch_deliveries WHERE (account_id, message_id) IN (
  SELECT account_id, message_id FROM dispatch_deliveries
    WHERE account_id = ? AND message_id < ? AND state IN (${ENDED}) LIMIT ?)`;

/** Ids begin with the time and the tables are ordered by them, so old rows lie at the front and are gone once swept. */
export function sweepSteps(accountId: SqlValue, { contents, deliveries }: SweptBefore, limit: number): SqlStep[] {
  const step = (sql: string, before: number | null): SqlStep[] =>
    before === null ? [] : [{ sql, rows: [[accountId, idTime(before), limit]] }];
  return [...step(CONTENTS, contents), ...step(DELIVERIES, deliveries)];
}

import { idTime } from '@lettermill/events';
import type { SqlDatabase, SqlStep } from '@lettermill/storage';
import { ENDED } from './deliveries.batches.libsql';
import type { SweptBefore } from './deliveries.store';

/** Takes one step of the primary key per account, however many deliveries it has. */
const ACCOUNTS = `WITH RECURSIVE found(account_id) AS (
  SELECT min(account_id) FROM dispatch_deliveries
  UNION ALL
  SELECT (SELECT min(account_id) FROM dispatch_deliveries WHERE account_id > found.account_id)
    FROM found WHERE found.account_id IS NOT NULL)
  SELECT account_id FROM found WHERE account_id IS NOT NULL`;

/** Joins from contents to deliveries: the other way round, each step would scan everything that was ever sent. */
const CONTENTS = `DELETE FROM dispatch_contents WHERE rowid IN (
  SELECT c.rowid FROM dispatch_contents AS c
    CROSS JOIN dispatch_deliveries AS d ON d.account_id = c.account_id AND d.message_id = c.message_id
    WHERE c.account_id = ? AND c.message_id > ? AND c.message_id < ? AND d.state IN (${ENDED})
    ORDER BY c.message_id LIMIT ?) RETURNING message_id`;

const DELIVERIES = `DELETE FROM dispatch_deliveries WHERE (account_id, message_id) IN (
  SELECT account_id, message_id FROM dispatch_deliveries
    WHERE account_id = ? AND message_id > ? AND message_id < ? AND state IN (${ENDED})
    ORDER BY message_id LIMIT ?) RETURNING message_id`;

/** One table of one account, from which rows before a time are swept. */
interface Part {
  name: string;
  sql: string;
  accountId: string;
  before: number;
}

function partsOf(accountId: string, { contents, deliveries }: SweptBefore): Part[] {
  const part = (table: string, sql: string, before: number | null): Part[] =>
    before === null ? [] : [{ name: `${table} ${accountId}`, sql, accountId, before }];
  return [...part('contents', CONTENTS, contents), ...part('deliveries', DELIVERIES, deliveries)];
}

/** `DeliveryStore.sweep`. Ids begin with the time and the tables are ordered by them, so old rows lie at the front and are gone once swept. */
export class DeliverySweep {
  /** By part, the id behind which the next step looks, null if it has no more: what waits there is not read again for every step. */
  private readonly after = new Map<string, string | null>();

  constructor(private readonly database: SqlDatabase) {}

  async step(before: SweptBefore, limit: number): Promise<boolean> {
    const accounts = await this.database.read(ACCOUNTS);
    const parts = accounts.flatMap(({ account_id }) => partsOf(String(account_id), before));
    const open = parts.filter(({ name }) => this.after.get(name) !== null);
    const steps = open.map((part) => this.stepOf(part, limit));
    const results = steps.length > 0 ? await this.database.write(steps) : [];
    open.forEach(({ name }, at) => {
      const swept = results[at]!.rows.map(({ message_id }) => String(message_id)).sort();
      this.after.set(name, swept.length < limit ? null : swept.at(-1)!);
    });
    const hasMore = open.some(({ name }) => this.after.get(name) !== null);
    if (!hasMore) this.after.clear();
    return hasMore;
  }

  private stepOf({ name, sql, accountId, before }: Part, limit: number): SqlStep {
    return { sql, rows: [[accountId, this.after.get(name) ?? '', idTime(before), limit]] };
  }
}

import { idTime } from '@lettermill/events';
import type { SqlDatabase } from '@lettermill/storage';
import { batchOf } from './deliveries.batches.libsql';
import { MAIN_LANE, RANKS, type Recall } from './deliveries.store';

const BATCH_SIZE = 1_000;

const latestOf = (attempts: string): string => `(? ->> min(${attempts}, json_array_length(?) - 1))`;

/**
 * An id tells when its message was accepted and is part of the queue's index, so only rows of messages from the future, or that wait longer
 * than any delay, are looked up.
 */
const LATE = `SELECT d.account_id, d.message_id, d.due_at FROM dispatch_deliveries AS late
  CROSS JOIN dispatch_deliveries AS d ON d.account_id = late.account_id AND d.message_id = late.message_id
  WHERE late.lane = ? AND late.priority = ? AND late.due_at IS NOT NULL AND late.due_at >= ?
    AND (late.message_id >= ? OR late.due_at > ?) AND late.due_at > ${latestOf('d.attempts')} ORDER BY late.due_at LIMIT ${BATCH_SIZE}`;

const RECALL = `UPDATE dispatch_deliveries SET due_at = ${latestOf('attempts')}
  WHERE (account_id, message_id) IN (SELECT value->>0, value->>1 FROM json_each(?)) AND due_at > ${latestOf('attempts')}`;

export async function recallDeliveries(
  database: SqlDatabase,
  lanes: string[],
  { acceptedAfter, latest }: Recall,
): Promise<number> {
  const until = JSON.stringify(latest);
  const longest = Math.max(...latest);
  let recalled = 0;
  for (const queue of [MAIN_LANE, ...lanes].flatMap((lane) => RANKS.map((rank) => [lane, rank]))) {
    // Recalled deliveries lie before this due time.
    let from = latest[0]!;
    for (;;) {
      const late = await database.read(LATE, [...queue, from, idTime(acceptedAfter + 1), longest, until, until]);
      if (late.length === 0) break;
      const [keys] = batchOf(late, (row) => [row.account_id!, row.message_id!]);
      const [made] = await database.write([{ sql: RECALL, rows: [[until, until, keys![0]!, until, until]] }]);
      recalled += made!.changes[0]!;
      from = Number(late.at(-1)!.due_at);
    }
  }
  return recalled;
}

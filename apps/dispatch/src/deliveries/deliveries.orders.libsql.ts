import type { SqlStep } from '@lettermill/storage';
import { batchOf, restText, INSERT_OUTCOMES } from './deliveries.batches.libsql';
import { KEY } from './deliveries.claims.libsql';
import { isContentObsolete } from '../lifecycle/delivery';
import type { Order } from './deliveries.store';

const UPDATE = `UPDATE dispatch_deliveries SET state = ?, due_at = ?, lane = '', rest = ?, may_have_arrived = ?,
  may_have_arrived_before = ifnull(?, may_have_arrived_before), requested_attempt = ifnull(?, requested_attempt), last_event = ?
  WHERE ${KEY} AND state = ? AND attempts = ? AND due_at IS ? AND lease_until IS NULL`;

/** The delivery is not there yet: it is stored as ended, so that its record changes nothing when it arrives. */
const INSERT_ENDED = `INSERT OR IGNORE INTO dispatch_deliveries
  (account_id, message_id, state, priority, attempts, last_event) VALUES (?, ?, ?, 1, ?, ?)`;

const DELETE_CONTENT = `DELETE FROM dispatch_contents WHERE ${KEY}
  AND EXISTS (SELECT 1 FROM dispatch_deliveries WHERE ${KEY} AND last_event = ?)`;

export const STEPS_OF_ORDER = 3;

/** The first step tells whether the order was carried out; the others do nothing unless it was. */
export function orderSteps({ before, next, event }: Order): SqlStep[] {
  const key = [next.accountId, next.messageId];
  const changing: SqlStep = before
    ? {
        sql: UPDATE,
        rows: [
          [
            next.state,
            next.dueAt,
            restText(next),
            next.mayHaveArrived ? 1 : null,
            next.mayHaveArrivedBefore ? 1 : null,
            next.requestedAttempt ?? null,
            event.id,
            ...key,
            before.state,
            before.attempts,
            before.dueAt,
          ],
        ],
      }
    : { sql: INSERT_ENDED, rows: [[...key, next.state, next.attempts, event.id]] };
  return [
    changing,
    { sql: INSERT_OUTCOMES, rows: batchOf([event], ({ id, json }) => [...key, id, json]) },
    { sql: DELETE_CONTENT, rows: isContentObsolete({ next }) ? [[...key, ...key, event.id]] : [] },
  ];
}

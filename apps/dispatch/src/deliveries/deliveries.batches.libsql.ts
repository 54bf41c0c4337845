import type { SqlRow, SqlValue } from '@lettermill/storage';
import type { ClaimedDelivery } from './deliveries.store';
import { TERMINAL, type Delivery, type Rest } from '../lifecycle/delivery';

/**
 * Statements that take a whole batch as one JSON parameter: one execution for all rows costs half as much as one per row. A join from
 * `json_each` must be a CROSS JOIN, or the planner may put the table first.
 */

export const ENDED = TERMINAL.map((state) => `'${state}'`).join(', ');
const EACH = 'json_each(?) AS asked';
const IS_ASKED = 'd.account_id = asked.value->>0 AND d.message_id = asked.value->>1';
const JOIN_DELIVERY = `CROSS JOIN dispatch_deliveries AS d ON ${IS_ASKED}`;
const JOIN_CONTENT = 'JOIN dispatch_contents AS c ON c.account_id = asked.value->>0 AND c.message_id = asked.value->>1';
const CROSS_JOIN_CONTENT = `CROSS ${JOIN_CONTENT}`;

type JsonValue = SqlValue | string[];

/** The rows of a step whose only parameter is the whole batch; none if the batch is empty. */
export function batchOf<T>(items: T[], row: (item: T) => JsonValue[]): string[][] {
  return items.length === 0 ? [] : [[JSON.stringify(items.map(row))]];
}

export function restText({ rest }: Delivery): string | null {
  return rest ? JSON.stringify(rest) : null;
}

type OptionalField = 'traceparent' | 'rest' | 'mayHaveArrived' | 'mayHaveArrivedBefore';

/** The fields that only some deliveries have. */
export function optionalFields(row: SqlRow): Pick<ClaimedDelivery, OptionalField> {
  return {
    ...(row.traceparent ? { traceparent: String(row.traceparent) } : {}),
    ...(row.rest ? { rest: JSON.parse(String(row.rest)) as Rest } : {}),
    ...(row.may_have_arrived ? { mayHaveArrived: true } : {}),
    ...(row.may_have_arrived_before ? { mayHaveArrivedBefore: true } : {}),
  };
}

export const INSERT = `INSERT OR IGNORE INTO dispatch_deliveries
  (account_id, message_id, state, priority, domain, attempts, due_at, traceparent, recipients, expires_at, requested_attempt)
  SELECT value->>0, value->>1, 'queued', value->>2, value->>3, 0, value->>4, value->>5, value->6, value->>7, 0 FROM ${EACH}`;

export const INSERT_CONTENT = `INSERT OR IGNORE INTO dispatch_contents (account_id, message_id, content)
  SELECT account_id, message_id, ? FROM dispatch_deliveries
    WHERE account_id = ? AND message_id = ? AND state NOT IN (${ENDED})`;

export const CLAIMED_COLUMNS = `account_id, message_id, attempts, claimed_at, traceparent, rest,
  may_have_arrived, may_have_arrived_before`;

export const CLAIM = `UPDATE dispatch_deliveries SET state = 'sending', due_at = NULL, owner = ?, claimed_at = ?, lease_until = ?
  WHERE (account_id, message_id) IN (SELECT value->>0, value->>1 FROM ${EACH}) AND due_at IS NOT NULL AND due_at <= ?
  RETURNING ${CLAIMED_COLUMNS}`;

export const SELECT_CONTENTS = `SELECT c.account_id, c.message_id, c.content FROM ${EACH} ${CROSS_JOIN_CONTENT}`;

const CLEAR_CLAIM = 'owner = NULL, claimed_at = NULL, lease_until = NULL';

export const SETTLE = `UPDATE dispatch_deliveries AS d SET state = asked.value->>4, attempts = asked.value->>5,
  due_at = asked.value->>6, last_event = asked.value->>7, ${CLEAR_CLAIM}
  FROM ${EACH} WHERE ${IS_ASKED} AND d.owner = asked.value->>2 AND d.attempts = asked.value->>3`;

export const GIVE_BACK = `UPDATE dispatch_deliveries SET state = ?, attempts = ?, due_at = ?, ${CLEAR_CLAIM}
  WHERE account_id = ? AND message_id = ? AND owner = ? AND attempts = ? AND claimed_at = ?`;

/** Updates a column that changes in few of the deliveries settled with that event. */
const updateColumn = (column: string) => `UPDATE dispatch_deliveries AS d SET ${column} = asked.value->>3
  FROM ${EACH} WHERE ${IS_ASKED} AND d.last_event = asked.value->>2`;
export const UPDATE_REST = updateColumn('rest');
export const UPDATE_MAY_HAVE_ARRIVED = updateColumn('may_have_arrived');

/** Stores the outcome of each delivery whose `last_event` it is. */
export const INSERT_OUTCOMES = `INSERT OR IGNORE INTO dispatch_outcomes (event_id, event)
  SELECT d.last_event, asked.value->>3 FROM ${EACH} ${JOIN_DELIVERY} WHERE d.last_event = asked.value->>2`;

/** Only for deliveries settled with that event: a different settlement may have kept the content. */
export const DELETE_CONTENTS = `DELETE FROM dispatch_contents WHERE rowid IN (
  SELECT c.rowid FROM ${EACH} ${JOIN_DELIVERY} ${CROSS_JOIN_CONTENT} WHERE d.last_event = asked.value->>2)`;

export const SELECT_RECORDED = `SELECT d.last_event FROM ${EACH} ${JOIN_DELIVERY} WHERE d.last_event = asked.value->>2`;

export const FIND = `SELECT d.account_id, d.message_id, d.state, d.attempts, d.due_at, d.priority, d.recipients, d.traceparent, d.rest,
  d.may_have_arrived, d.may_have_arrived_before, d.requested_attempt, c.content FROM ${EACH} ${JOIN_DELIVERY} LEFT ${JOIN_CONTENT}`;

import type { SqlDatabase, SqlResult, SqlRow, SqlStep, SqlValue } from '@lettermill/storage';
import { batchOf, CLAIM, CLAIMED_COLUMNS, SELECT_CONTENTS, optionalFields } from './deliveries.batches.libsql';
import type { Claim, ClaimedDelivery, DeliveryKey, Lease, TakeoverLease } from './deliveries.store';

export const KEY = 'account_id = ? AND message_id = ?';
export const CLAIM_STANDS = `${KEY} AND owner = ? AND attempts = ?`;
export const keyOf = ({ accountId, messageId }: DeliveryKey): SqlValue[] => [accountId, messageId];
export const claimParameters = (claim: Claim): SqlValue[] => [...keyOf(claim), claim.owner, claim.attempts];
const keyTextOf = (row: SqlRow): string => `${String(row.account_id)} ${String(row.message_id)}`;

export function claimSteps(keys: DeliveryKey[], { owner, now, until }: Lease): SqlStep[] {
  const asked = JSON.stringify(keys.map(keyOf));
  return [
    { sql: CLAIM, rows: [[owner, now, until, asked, now]] },
    { sql: SELECT_CONTENTS, rows: [[asked]] },
  ];
}

/** Joins the rows that a claiming statement returned with the contents that the statement after it read. */
export function joinContents(claimed: SqlResult, contents: SqlResult): ClaimedDelivery[] {
  const contentOf = new Map(contents.rows.map((row) => [keyTextOf(row), String(row.content)]));
  return claimed.rows.map((row) => ({
    accountId: String(row.account_id),
    messageId: String(row.message_id),
    attempts: Number(row.attempts),
    claimedAt: Number(row.claimed_at),
    content: contentOf.get(keyTextOf(row)) ?? '',
    ...optionalFields(row),
  }));
}

/** Which claims are taken over. */
interface ClaimCondition {
  sql: string;
  parameters: SqlValue[];
}

export function expiredClaims({ now, astray }: TakeoverLease, held: DeliveryKey[]): ClaimCondition {
  return {
    sql: '(lease_until <= ? OR lease_until > ?) AND message_id NOT IN (SELECT value FROM json_each(?))',
    parameters: [now, astray ?? null, JSON.stringify(held.map(({ messageId }) => messageId))],
  };
}

export async function takeOverClaims(
  database: SqlDatabase,
  { owner, until }: Lease,
  limit: number,
  { sql, parameters }: ClaimCondition,
): Promise<ClaimedDelivery[]> {
  const found = await database.read(
    `SELECT account_id, message_id, attempts, owner, lease_until FROM dispatch_deliveries
        WHERE lease_until IS NOT NULL AND ${sql} ORDER BY lease_until LIMIT ?`,
    [...parameters, limit],
  );
  if (found.length === 0) return [];
  const [claimed, contents] = await database.write([
    {
      sql: `UPDATE dispatch_deliveries SET owner = ?, lease_until = ?
          WHERE ${CLAIM_STANDS} AND lease_until = ? RETURNING ${CLAIMED_COLUMNS}`,
      rows: found.map((row) => [
        owner,
        until,
        row.account_id!,
        row.message_id!,
        row.owner!,
        row.attempts!,
        row.lease_until!,
      ]),
    },
    { sql: SELECT_CONTENTS, rows: batchOf(found, (row) => [row.account_id!, row.message_id!]) },
  ]);
  return joinContents(claimed!, contents!);
}

import { RANKS } from './deliveries.store';

const eachRank = (sql: string): string => RANKS.map(() => sql).join(' UNION ALL ');

export const DUE =
  eachRank(`SELECT * FROM (SELECT account_id, message_id, priority, domain, due_at FROM dispatch_deliveries
  WHERE lane = ? AND priority = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, account_id, message_id LIMIT ?)`);

export const NEXT_DUE = `SELECT min(at) AS at FROM (${eachRank(`SELECT min(due_at) AS at FROM dispatch_deliveries
  WHERE lane = ? AND priority = ? AND due_at IS NOT NULL AND due_at > ?`)})`;

export const EXPIRED = `SELECT account_id, message_id, expires_at FROM dispatch_deliveries
  WHERE expires_at IS NOT NULL AND due_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`;

export const PUT_ASIDE = `UPDATE dispatch_deliveries SET lane = domain
  WHERE account_id = ? AND message_id = ? AND due_at IS NOT NULL`;

/** Takes one index step per lane, however much waits in it. */
export const LANES = `WITH RECURSIVE found(lane) AS (
  SELECT min(lane) FROM dispatch_deliveries WHERE due_at IS NOT NULL AND lane > ''
  UNION ALL
  SELECT (SELECT min(lane) FROM dispatch_deliveries WHERE due_at IS NOT NULL AND lane > found.lane)
    FROM found WHERE found.lane IS NOT NULL)
  SELECT lane FROM found WHERE lane IS NOT NULL`;

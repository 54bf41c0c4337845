import type { SqlDatabase, SqlResult, SqlRow, SqlStep, SqlValue } from '@lettermill/storage';
import { contentGoes, type DeliveryState } from './delivery';
import { DUE, LANES, NEXT_DUE, PUT_ASIDE, RANKS } from './deliveries.queue.libsql';
import { recallDeliveries } from './deliveries.recall.libsql';
import { ACCOUNTS, sweepSteps } from './deliveries.sweep.libsql';
import {
  batchOf,
  CLAIM,
  CLAIMED,
  CONTENTS,
  DROP_CONTENTS,
  FIND,
  GIVE_BACK,
  INSERT,
  INSERT_CONTENT,
  KEEP_REST,
  RECORDED,
  restOf,
  restText,
  SETTLE,
  TELL,
} from './deliveries.batches.libsql';
import { orderSteps, STEPS_OF_ORDER } from './deliveries.orders.libsql';
import { MIGRATIONS } from './deliveries.tables.libsql';
import type {
  Claim,
  ClaimedDelivery,
  DeliveryKey,
  DeliveryStore,
  DueDelivery,
  Inserted,
  Lease,
  NewDelivery,
  Order,
  PriorityRank,
  Recall,
  Settlement,
  StoredDelivery,
  StoredEvent,
  SweptBefore,
  TakingOver,
} from './deliveries.store';

const KEY = 'account_id = ? AND message_id = ?';
const STANDS = `${KEY} AND owner = ? AND attempts = ?`;
const keyOf = ({ accountId, messageId }: DeliveryKey): SqlValue[] => [accountId, messageId];
const standing = (claim: Claim): SqlValue[] => [...keyOf(claim), claim.owner, claim.attempts];
const nameOf = (row: SqlRow): string => `${String(row.account_id)} ${String(row.message_id)}`;

function insertSteps(deliveries: NewDelivery[]): SqlStep[] {
  const rowOf = (one: NewDelivery) => [
    ...[...keyOf(one), one.priority, one.domain, one.dueAt],
    ...[one.traceparent ?? null, one.recipients],
  ];
  return [
    { sql: INSERT, rows: batchOf(deliveries, rowOf) },
    // A content is far larger than its row: it is bound as it is rather than escaped once more.
    { sql: INSERT_CONTENT, rows: deliveries.map((one) => [one.content, ...keyOf(one)]) },
  ];
}

function claimSteps(keys: DeliveryKey[], { owner, now, until }: Lease): SqlStep[] {
  const asked = JSON.stringify(keys.map(keyOf));
  return [
    { sql: CLAIM, rows: [[owner, now, until, asked, now]] },
    { sql: CONTENTS, rows: [[asked]] },
  ];
}

/** None where nobody is left over: as good as always. */
function restSteps(told: (Settlement & { event: StoredEvent })[]): SqlStep[] {
  const parted = told.filter(({ next }) => next.rest !== undefined);
  const rows = batchOf(parted, ({ claim, next, event }) => [...keyOf(claim), event.id, restText(next)]);
  return rows.length > 0 ? [{ sql: KEEP_REST, rows }] : [];
}

/** What a claiming statement answered, with what one answered that read contents after it. */
function claimedWith(claimed: SqlResult, contents: SqlResult): ClaimedDelivery[] {
  const contentOf = new Map(contents.rows.map((row) => [nameOf(row), String(row.content)]));
  return claimed.rows.map((row) => ({
    accountId: String(row.account_id),
    messageId: String(row.message_id),
    attempts: Number(row.attempts),
    claimedAt: Number(row.claimed_at),
    content: contentOf.get(nameOf(row)) ?? '',
    ...(row.traceparent ? { traceparent: String(row.traceparent) } : {}),
    ...restOf(row.rest),
  }));
}

export class LibsqlDeliveryStore implements DeliveryStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('dispatch', MIGRATIONS);
  }

  async insert(deliveries: NewDelivery[]): Promise<number> {
    if (deliveries.length === 0) return 0;
    const [added] = await this.database.write(insertSteps(deliveries));
    return added!.changes[0]!;
  }

  async insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<Inserted> {
    if (keys.length === 0) return { added: await this.insert(deliveries), claimed: [] };
    const steps = [...insertSteps(deliveries), ...claimSteps(keys, lease)];
    const [added, , claimed, contents] = await this.database.write(steps);
    return { added: added!.changes[0]!, claimed: claimedWith(claimed!, contents!) };
  }

  async due(limit: number, now: number, lane: string): Promise<DueDelivery[]> {
    const rows = await this.database.read(
      DUE,
      RANKS.flatMap((rank) => [lane, rank, now, limit]),
    );
    const due = rows.map((row) => ({
      accountId: String(row.account_id),
      messageId: String(row.message_id),
      priority: Number(row.priority) as PriorityRank,
      domain: String(row.domain),
    }));
    return due.sort((one, other) => one.priority - other.priority).slice(0, limit);
  }

  async nextDue(after: number, lane: string): Promise<number | null> {
    const [row] = await this.database.read(
      NEXT_DUE,
      RANKS.flatMap((rank) => [lane, rank, after]),
    );
    return row?.at ? Number(row.at) : null;
  }

  async putAside(deliveries: DueDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.database.write([{ sql: PUT_ASIDE, rows: deliveries.map(keyOf) }]);
  }

  async lanes(): Promise<string[]> {
    return (await this.database.read(LANES)).map(({ lane }) => String(lane));
  }

  async sweep(before: SweptBefore, limit: number): Promise<boolean> {
    const accounts = await this.database.read(ACCOUNTS);
    const steps = accounts.flatMap(({ account_id }) => sweepSteps(account_id!, before, limit));
    const results = steps.length > 0 ? await this.database.write(steps) : [];
    return results.some(({ changes }) => changes[0] === limit);
  }

  async recall(recall: Recall): Promise<number> {
    return recallDeliveries(this.database, await this.lanes(), recall);
  }

  async waiting(limit: number): Promise<number> {
    const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM dispatch_deliveries WHERE due_at IS NOT NULL LIMIT ?)';
    const [row] = await this.database.read(sql, [limit]);
    return Number(row!.n);
  }

  async claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]> {
    if (keys.length === 0) return [];
    const [claimed, contents] = await this.database.write(claimSteps(keys, lease));
    return claimedWith(claimed!, contents!);
  }

  async renew(claims: Claim[], until: number): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const sql = `UPDATE dispatch_deliveries SET lease_until = ? WHERE ${STANDS}`;
    const [renewed] = await this.database.write([{ sql, rows: claims.map((claim) => [until, ...standing(claim)]) }]);
    return renewed!.changes.map((changes) => changes === 1);
  }

  async takeOver(
    { owner, now, until, astray }: TakingOver,
    own: boolean,
    limit: number,
    held: DeliveryKey[] = [],
  ): Promise<ClaimedDelivery[]> {
    const whose = own
      ? 'owner = ?'
      : '(lease_until <= ? OR lease_until > ?) AND message_id NOT IN (SELECT value FROM json_each(?))';
    const found = await this.database.read(
      `SELECT account_id, message_id, attempts, owner, lease_until FROM dispatch_deliveries
        WHERE lease_until IS NOT NULL AND ${whose} ORDER BY lease_until LIMIT ?`,
      own ? [owner, limit] : [now, astray ?? null, JSON.stringify(held.map(({ messageId }) => messageId)), limit],
    );
    if (found.length === 0) return [];
    const [claimed, contents] = await this.database.write([
      {
        sql: `UPDATE dispatch_deliveries SET owner = ?, lease_until = ?
          WHERE ${STANDS} AND lease_until = ? RETURNING ${CLAIMED}`,
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
      { sql: CONTENTS, rows: batchOf(found, (row) => [row.account_id!, row.message_id!]) },
    ]);
    return claimedWith(claimed!, contents!);
  }

  async record(settlements: Settlement[]): Promise<boolean[]> {
    if (settlements.length === 0) return [];
    const told = settlements.flatMap(({ event, ...one }) => (event ? [{ ...one, event }] : []));
    const givenBack = settlements.filter(({ event }) => !event);
    const gone = settlements.filter(contentGoes);
    const [, freed, , , known] = await this.database.write([
      {
        sql: SETTLE,
        rows: batchOf(told, ({ claim, next, event }) => [
          ...standing(claim),
          ...[next.state, next.attempts, next.dueAt, event.id],
        ]),
      },
      {
        sql: GIVE_BACK,
        rows: givenBack.map(({ claim, next }) => [next.state, next.attempts, next.dueAt, ...standing(claim)]),
      },
      // Only where the state above was taken over: whoever is fenced out tells nothing either.
      { sql: TELL, rows: batchOf(told, ({ claim, event }) => [...keyOf(claim), event.id, event.json]) },
      { sql: DROP_CONTENTS, rows: batchOf(gone, ({ claim }) => keyOf(claim)) },
      { sql: RECORDED, rows: batchOf(told, ({ claim, event }) => [...keyOf(claim), event.id]) },
      ...restSteps(told),
    ]);
    const recorded = new Set(known!.rows.map((row) => row.last_event));
    let back = 0;
    return settlements.map(({ event }) => (event ? recorded.has(event.id) : freed!.changes[back++] === 1));
  }

  async find(keys: DeliveryKey[]): Promise<StoredDelivery[]> {
    if (keys.length === 0) return [];
    return (await this.database.read(FIND, batchOf(keys, keyOf)[0])).map((row) => ({
      accountId: String(row.account_id),
      messageId: String(row.message_id),
      state: row.state as DeliveryState,
      attempts: Number(row.attempts),
      dueAt: row.due_at === null ? null : Number(row.due_at),
      priority: Number(row.priority) as PriorityRank,
      content: row.content === null ? null : String(row.content),
      recipients: row.recipients ? (JSON.parse(String(row.recipients)) as string[]) : [],
      ...(row.traceparent ? { traceparent: String(row.traceparent) } : {}),
      ...restOf(row.rest),
    }));
  }

  async order(orders: Order[]): Promise<boolean[]> {
    if (orders.length === 0) return [];
    const results = await this.database.write(orders.flatMap(orderSteps));
    return orders.map((_, at) => results[at * STEPS_OF_ORDER]!.changes[0] === 1);
  }

  async unannounced(limit: number): Promise<StoredEvent[]> {
    const rows = await this.database.read('SELECT event_id, event FROM dispatch_outcomes ORDER BY seq LIMIT ?', [
      limit,
    ]);
    return rows.map((row) => ({ id: String(row.event_id), json: String(row.event) }));
  }

  async announced(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const sql = 'DELETE FROM dispatch_outcomes WHERE event_id IN (SELECT value FROM json_each(?))';
    await this.database.write([{ sql, rows: [[JSON.stringify(ids)]] }]);
  }
}

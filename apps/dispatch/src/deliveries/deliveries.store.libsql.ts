import type { SqlDatabase, SqlStep } from '@lettermill/storage';
import type { DeliveryState } from '../lifecycle/delivery';
import { DUE, EXPIRED, LANES, NEXT_DUE, PUT_ASIDE } from './deliveries.queue.libsql';
import { recallDeliveries } from './deliveries.recall.libsql';
import { DeliverySweep } from './deliveries.sweep.libsql';
import { batchOf, FIND, INSERT, INSERT_CONTENT, optionalFields } from './deliveries.batches.libsql';
import {
  joinContents,
  claimSteps,
  keyOf,
  claimParameters,
  CLAIM_STANDS,
  expiredClaims,
  takeOverClaims,
} from './deliveries.claims.libsql';
import { orderSteps, STEPS_OF_ORDER } from './deliveries.orders.libsql';
import { recordSettlements } from './deliveries.settle.libsql';
import { MIGRATIONS } from './deliveries.tables.libsql';
import { RANKS } from './deliveries.store';
import type {
  Claim,
  ClaimedDelivery,
  DeliveryKey,
  DeliveryStore,
  DueDelivery,
  ExpiredDelivery,
  InsertResult,
  Lease,
  NewDelivery,
  Order,
  PriorityRank,
  Recall,
  Settlement,
  StoredDelivery,
  StoredEvent,
  SweptBefore,
  TakeoverLease,
} from './deliveries.store';

function insertSteps(deliveries: NewDelivery[]): SqlStep[] {
  const rowOf = (one: NewDelivery) => [
    ...keyOf(one),
    one.priority,
    one.domain,
    one.dueAt,
    one.traceparent ?? null,
    one.recipients,
    one.expiresAt,
  ];
  return [
    { sql: INSERT, rows: batchOf(deliveries, rowOf) },
    // The content is far larger than its row, so it is bound as it is rather than escaped once more.
    { sql: INSERT_CONTENT, rows: deliveries.map((one) => [one.content, ...keyOf(one)]) },
  ];
}

export class LibsqlDeliveryStore implements DeliveryStore {
  private readonly sweeping: DeliverySweep;

  constructor(private readonly database: SqlDatabase) {
    this.sweeping = new DeliverySweep(database);
  }

  migrate(): Promise<void> {
    return this.database.migrate('dispatch', MIGRATIONS);
  }

  async insert(deliveries: NewDelivery[]): Promise<number> {
    if (deliveries.length === 0) return 0;
    const [added] = await this.database.write(insertSteps(deliveries));
    return added!.changes[0]!;
  }

  async insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<InsertResult> {
    if (keys.length === 0) return { added: await this.insert(deliveries), claimed: [] };
    const steps = [...insertSteps(deliveries), ...claimSteps(keys, lease)];
    const [added, , claimed, contents] = await this.database.write(steps);
    return { added: added!.changes[0]!, claimed: joinContents(claimed!, contents!) };
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
      dueAt: Number(row.due_at),
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

  sweep(before: SweptBefore, limit: number): Promise<boolean> {
    return this.sweeping.step(before, limit);
  }

  async recall(recall: Recall): Promise<number> {
    return recallDeliveries(this.database, await this.lanes(), recall);
  }

  async expired(limit: number, now: number): Promise<ExpiredDelivery[]> {
    const rows = await this.database.read(EXPIRED, [now, limit]);
    return rows.map((row) => ({
      accountId: String(row.account_id),
      messageId: String(row.message_id),
      expiresAt: Number(row.expires_at),
    }));
  }

  async countWaiting(limit: number): Promise<number> {
    const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM dispatch_deliveries WHERE due_at IS NOT NULL LIMIT ?)';
    const [row] = await this.database.read(sql, [limit]);
    return Number(row!.n);
  }

  async claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]> {
    if (keys.length === 0) return [];
    const [claimed, contents] = await this.database.write(claimSteps(keys, lease));
    return joinContents(claimed!, contents!);
  }

  async renew(claims: Claim[], until: number): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const sql = `UPDATE dispatch_deliveries SET lease_until = ? WHERE ${CLAIM_STANDS}`;
    const [renewed] = await this.database.write([
      { sql, rows: claims.map((claim) => [until, ...claimParameters(claim)]) },
    ]);
    return renewed!.changes.map((changes) => changes === 1);
  }

  takeOver(lease: TakeoverLease, limit: number, held: DeliveryKey[] = []): Promise<ClaimedDelivery[]> {
    return takeOverClaims(this.database, lease, limit, expiredClaims(lease, held));
  }

  takeOverOwn(lease: Lease, limit: number): Promise<ClaimedDelivery[]> {
    return takeOverClaims(this.database, lease, limit, { sql: 'owner = ?', parameters: [lease.owner] });
  }

  record(settlements: Settlement[]): Promise<boolean[]> {
    return recordSettlements(this.database, settlements);
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
      ...(row.requested_attempt === null ? {} : { requestedAttempt: Number(row.requested_attempt) }),
      ...optionalFields(row),
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

  async forgetAnnounced(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const sql = 'DELETE FROM dispatch_outcomes WHERE event_id IN (SELECT value FROM json_each(?))';
    await this.database.write([{ sql, rows: [[JSON.stringify(ids)]] }]);
  }
}

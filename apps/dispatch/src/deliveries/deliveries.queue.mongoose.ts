import { withStoreFaults, type MongoDriver } from '@lettermill/storage';
import { DUE_INDEX, EXPIRING_INDEX, type DeliveryDocument } from './deliveries.schema.mongoose';
import { MAIN_LANE, RANKS, type DueDelivery, type ExpiredDelivery, type PriorityRank } from './deliveries.store';

type Deliveries = MongoDriver.Collection<DeliveryDocument>;

const KEYS = { _id: 0, account_id: 1, message_id: 1, priority: 1, domain: 1, due_at: 1 } as const;

/** `DeliveryQueue.due`, by rank: in the index, deliveries of one rank that are not due yet lie before the due ones of the next rank. */
export async function dueDeliveries(
  deliveries: Deliveries,
  limit: number,
  now: number,
  lane: string,
): Promise<DueDelivery[]> {
  const byRank = RANKS.map((rank) => {
    const filter = { lane: { $eq: lane }, priority: { $eq: rank }, due_at: { $lte: now } };
    const options = { projection: KEYS, hint: DUE_INDEX, batchSize: limit + 1 };
    const cursor = deliveries.find<DeliveryDocument>(filter, options);
    return withStoreFaults(cursor.sort({ due_at: 1, account_id: 1, message_id: 1 }).limit(limit).toArray());
  });
  const found = (await Promise.all(byRank)).flat().slice(0, limit);
  return found.map(({ account_id, message_id, priority, domain, due_at }) => ({
    accountId: account_id,
    messageId: message_id,
    priority: priority as PriorityRank,
    domain: domain!,
    dueAt: due_at!,
  }));
}

/** `DeliveryQueue.nextDue`. */
export async function nextDue(deliveries: Deliveries, after: number, lane: string): Promise<number | null> {
  const byRank = RANKS.map((rank) => {
    const filter = { lane: { $eq: lane }, priority: { $eq: rank }, due_at: { $gt: after } };
    const cursor = deliveries.find<{ due_at: number }>(filter, { projection: { due_at: 1 }, hint: DUE_INDEX });
    return withStoreFaults(cursor.sort({ due_at: 1 }).limit(1).toArray());
  });
  const times = (await Promise.all(byRank)).flat().map(({ due_at }) => due_at);
  return times.length > 0 ? Math.min(...times) : null;
}

/** `DeliveryQueue.lanes`: takes one index step per lane, however much waits in it. */
export async function lanesOf(deliveries: Deliveries): Promise<string[]> {
  const lanes: string[] = [];
  for (;;) {
    const filter = { lane: { $gt: lanes.at(-1) ?? '' }, due_at: { $exists: true } };
    const cursor = deliveries.find<{ lane: string }>(filter, { projection: { lane: 1 }, hint: DUE_INDEX });
    const [next] = await withStoreFaults(cursor.sort({ lane: 1 }).limit(1).toArray());
    if (!next) return lanes;
    lanes.push(next.lane);
  }
}

/** `DeliveryQueue.expired`. */
export async function expiredDeliveries(
  deliveries: Deliveries,
  limit: number,
  now: number,
): Promise<ExpiredDelivery[]> {
  const projection = { account_id: 1, message_id: 1, expires_at: 1 } as const;
  const filter = { expires_at: { $lte: now }, due_at: { $exists: true } };
  const cursor = deliveries.find<DeliveryDocument>(filter, { projection, hint: EXPIRING_INDEX });
  const found = await withStoreFaults(cursor.sort({ expires_at: 1 }).limit(limit).toArray());
  return found.map(({ account_id, message_id, expires_at }) => ({
    accountId: account_id,
    messageId: message_id,
    expiresAt: expires_at!,
  }));
}

/** `DeliveryQueue.countWaiting`. Bounds of the index, as whether a field exists is not in it: each delivery would be read, with its content. */
export function countWaiting(deliveries: Deliveries, limit: number): Promise<number> {
  const waiting = { lane: { $gte: MAIN_LANE }, due_at: { $gte: 0 } };
  return withStoreFaults(deliveries.countDocuments(waiting, { limit, hint: DUE_INDEX }));
}

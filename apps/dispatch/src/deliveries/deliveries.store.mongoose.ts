import {
  bulkWrite,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import {
  DELIVERY_INDEXES,
  DELIVERY_SCHEMA,
  DUE,
  DUE_BEFORE,
  LEASED,
  TOLD,
  claimedDelivery,
  storedDelivery,
  type DeliveryDocument,
  type StoredOutcome,
} from './deliveries.schema.mongoose';
import { sweepDeliveries } from './deliveries.sweep.mongoose';
import { MAIN_LANE } from './deliveries.store';
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
  Settlement,
  StoredDelivery,
  StoredEvent,
  SweptBefore,
} from './deliveries.store';
import {
  claiming,
  deliveryId,
  forgetting,
  inserting,
  ordering,
  puttingAside,
  renewing,
  settling,
  takingOver,
  unclaiming,
  untaking,
  type Leased,
  type Operation,
} from './deliveries.updates.mongoose';

type ObjectId = MongoDriver.ObjectId;

const RANKS: PriorityRank[] = [0, 1, 2];
/** Outcomes forgotten in one step of a command: each delivery in it is compared with all of them. */
const FORGOTTEN_AT_ONCE = 100;

const OF_DUE = { _id: 0, account_id: 1, message_id: 1, priority: 1, domain: 1 } as const;

/** The queue of before had no lanes. */
async function intoLanes(database: { collection(name: string): MongoDriver.Collection }): Promise<void> {
  const collection = database.collection('dispatch_deliveries');
  await collection.updateMany({ lane: { $exists: false } }, { $set: { lane: MAIN_LANE } });
  if (await collection.indexExists(DUE_BEFORE)) await collection.dropIndex(DUE_BEFORE);
}

export class MongooseDeliveryStore implements DeliveryStore {
  private readonly deliveries: StoreModel<DeliveryDocument>;
  /** Records under way: a claim comes after those that were there before it. */
  private readonly recording = new Set<Promise<unknown>>();
  /** What undoes calls of which nobody knows whether they were done: done before the next one. */
  private amends: Operation[] = [];

  constructor(private readonly connection: MongoConnection) {
    this.deliveries = modelOf<DeliveryDocument>(connection, 'dispatch_deliveries', DELIVERY_SCHEMA);
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'dispatch', [
      { name: '001-deliveries', indexes: { dispatch_deliveries: DELIVERY_INDEXES } },
      { name: '002-lanes', indexes: { dispatch_deliveries: DELIVERY_INDEXES }, apply: intoLanes },
    ]);
  }

  async insert(deliveries: NewDelivery[]): Promise<number> {
    return (await bulkWrite(this.deliveries, deliveries.map(inserting))).inserted;
  }

  async insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<Inserted> {
    return { added: await this.insert(deliveries), claimed: await this.claim(keys, lease) };
  }

  async due(limit: number, now: number, lane: string): Promise<DueDelivery[]> {
    const byRank = RANKS.map((rank) => {
      const filter = { lane: { $eq: lane }, priority: { $eq: rank }, due_at: { $lte: now } };
      const cursor = this.collection().find<DeliveryDocument>(filter, { projection: OF_DUE, hint: DUE });
      return withStoreFaults(cursor.sort({ due_at: 1, account_id: 1, message_id: 1 }).limit(limit).toArray());
    });
    const found = (await Promise.all(byRank)).flat().slice(0, limit);
    return found.map(({ account_id, message_id, priority, domain }) => ({
      accountId: account_id,
      messageId: message_id,
      priority: priority as PriorityRank,
      domain: domain ?? '',
    }));
  }

  async nextDue(after: number, lane: string): Promise<number | null> {
    const byRank = RANKS.map((rank) => {
      const filter = { lane: { $eq: lane }, priority: { $eq: rank }, due_at: { $gt: after } };
      const cursor = this.collection().find<{ due_at: number }>(filter, { projection: { due_at: 1 }, hint: DUE });
      return withStoreFaults(cursor.sort({ due_at: 1 }).limit(1).toArray());
    });
    const times = (await Promise.all(byRank)).flat().map(({ due_at }) => due_at);
    return times.length > 0 ? Math.min(...times) : null;
  }

  async putAside(deliveries: DueDelivery[]): Promise<void> {
    await bulkWrite(this.deliveries, deliveries.map(puttingAside));
  }

  /** One step of the index for each lane, however much waits in it. */
  async lanes(): Promise<string[]> {
    const lanes: string[] = [];
    for (;;) {
      const filter = { lane: { $gt: lanes.at(-1) ?? '' }, due_at: { $exists: true } };
      const cursor = this.collection().find<{ lane: string }>(filter, { projection: { lane: 1 }, hint: DUE });
      const [next] = await withStoreFaults(cursor.sort({ lane: 1 }).limit(1).toArray());
      if (!next) return lanes;
      lanes.push(next.lane);
    }
  }

  sweep(before: SweptBefore, limit: number): Promise<boolean> {
    return sweepDeliveries(this.collection(), before, limit);
  }

  waiting(limit: number): Promise<number> {
    return withStoreFaults(this.collection().countDocuments({ due_at: { $exists: true } }, { limit, hint: DUE }));
  }

  async claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]> {
    if (keys.length === 0) return [];
    await Promise.all(this.recording);
    const claim = this.newId();
    const ids = keys.map(deliveryId);
    const writes = keys.map((key) => claiming(key, lease, claim));
    return this.taken(writes, ids, claim, () => unclaiming(ids, claim, lease.now));
  }

  async renew(claims: Claim[], until: number): Promise<boolean[]> {
    const { matched } = await bulkWrite(
      this.deliveries,
      claims.map((claim) => renewing(claim, until)),
    );
    if (matched === claims.length) return claims.map(() => true);
    const found = await this.documents({ _id: { $in: claims.map(deliveryId) } }, { owner: 1, attempts: 1 });
    const byId = new Map(found.map((one) => [one._id, one]));
    return claims.map((claim) => {
      const stored = byId.get(deliveryId(claim));
      return stored?.owner === claim.owner && stored.attempts === claim.attempts;
    });
  }

  async takeOver(lease: Lease, own: boolean, limit: number, held: DeliveryKey[] = []): Promise<ClaimedDelivery[]> {
    await this.makeAmends();
    const { owner, now } = lease;
    const theirs = own
      ? { lease_until: { $exists: true }, owner: { $eq: owner } }
      : { lease_until: { $lte: now }, _id: { $nin: held.map(deliveryId) } };
    const projection = { attempts: 1, owner: 1, lease_until: 1 } as const;
    const cursor = this.collection().find<Leased>(theirs, { projection, hint: LEASED });
    const found = await withStoreFaults(cursor.sort({ lease_until: 1 }).limit(limit).toArray());
    if (found.length === 0) return [];
    const claim = this.newId();
    const ids = found.map(({ _id }) => _id);
    const writes = found.map((one) => takingOver(one, lease, claim));
    return this.taken(writes, ids, claim, () => untaking(ids, claim));
  }

  record(settlements: Settlement[]): Promise<boolean[]> {
    const recording = this.settle(settlements);
    this.recording.add(recording);
    const done = () => this.recording.delete(recording);
    recording.then(done, done);
    return recording;
  }

  async find(keys: DeliveryKey[]): Promise<StoredDelivery[]> {
    if (keys.length === 0) return [];
    return (await this.documents({ _id: { $in: keys.map(deliveryId) } })).map(storedDelivery);
  }

  async order(orders: Order[]): Promise<boolean[]> {
    if (orders.length === 0) return [];
    const settled = this.newId();
    await bulkWrite(
      this.deliveries,
      orders.map((order) => ordering(order, settled, this.newId())),
    );
    const ids = orders.map(({ next }) => deliveryId(next));
    const done = await this.documents({ _id: { $in: ids }, settled: { $eq: settled } }, { _id: 1 });
    const carriedOut = new Set(done.map(({ _id }) => _id));
    return ids.map((id) => carriedOut.has(id));
  }

  async unannounced(limit: number): Promise<StoredEvent[]> {
    const cursor = this.collection().find<{ outcomes: StoredOutcome[] }>(
      { told_at: { $exists: true } },
      { projection: { outcomes: 1 }, hint: TOLD },
    );
    const found = await withStoreFaults(cursor.sort({ told_at: 1 }).limit(limit).toArray());
    const outcomes = found.flatMap((one) => one.outcomes);
    outcomes.sort((one, other) => (one.seq.toHexString() < other.seq.toHexString() ? -1 : 1));
    return outcomes.slice(0, limit).map(({ id, json }) => ({ id, json }));
  }

  async announced(ids: string[]): Promise<void> {
    const steps: Operation[] = [];
    for (let at = 0; at < ids.length; at += FORGOTTEN_AT_ONCE) {
      steps.push(forgetting(ids.slice(at, at + FORGOTTEN_AT_ONCE)));
    }
    await bulkWrite(this.deliveries, steps);
  }

  private async settle(settlements: Settlement[]): Promise<boolean[]> {
    const settled = this.newId();
    const writes = settlements.map((settlement) => settling(settlement, settled, this.newId()));
    const { matched } = await bulkWrite(this.deliveries, writes);
    if (matched === settlements.length) return settlements.map(() => true);
    const ids = settlements.map(({ claim }) => deliveryId(claim));
    const found = await this.documents({ _id: { $in: ids } }, { settled: 1, last_event: 1, 'outcomes.id': 1 });
    const byId = new Map(found.map((one) => [one._id, one]));
    return settlements.map(({ event }, index) => {
      const stored = byId.get(ids[index]!);
      if (stored?.settled?.equals(settled)) return true;
      // Recorded by an earlier call whose answer was lost.
      return event !== null && [stored?.last_event, ...(stored?.outcomes ?? []).map(({ id }) => id)].includes(event.id);
    });
  }

  /** Runs the compare-and-sets of a claim and answers those that were ours, with their contents. */
  private async taken(
    writes: Operation[],
    ids: string[],
    claim: ObjectId,
    undo: () => Operation[],
  ): Promise<ClaimedDelivery[]> {
    await this.makeAmends();
    try {
      await bulkWrite(this.deliveries, writes);
      const found = await this.documents({ _id: { $in: ids }, claim: { $eq: claim } });
      return found.map(claimedDelivery);
    } catch (error) {
      this.amends.push(...undo());
      throw error;
    }
  }

  private async makeAmends(): Promise<void> {
    if (this.amends.length === 0) return;
    const amends = this.amends.splice(0);
    try {
      await bulkWrite(this.deliveries, amends);
    } catch (error) {
      this.amends.push(...amends);
      throw error;
    }
  }

  private documents(filter: object, projection: Record<string, 1> = {}): Promise<DeliveryDocument[]> {
    return withStoreFaults(this.collection().find(filter, { projection }).toArray()) as Promise<DeliveryDocument[]>;
  }

  private newId(): ObjectId {
    return new this.connection.base.Types.ObjectId();
  }

  private collection(): MongoDriver.Collection<DeliveryDocument> {
    return this.deliveries.collection as unknown as MongoDriver.Collection<DeliveryDocument>;
  }
}

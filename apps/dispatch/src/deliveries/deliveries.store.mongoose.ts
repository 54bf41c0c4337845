import {
  bulkWrite,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOutcome,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import {
  DELIVERY_MIGRATIONS,
  DELIVERY_SCHEMA,
  LEASED_INDEX,
  UNANNOUNCED_INDEX,
  claimedDelivery,
  storedDelivery,
  type DeliveryDocument,
  type StoredOutcome,
} from './deliveries.schema.mongoose';
import { PendingUndos } from './deliveries.undos.mongoose';
import { countWaiting, dueDeliveries, expiredDeliveries, lanesOf, nextDue } from './deliveries.queue.mongoose';
import { recallDeliveries } from './deliveries.recall.mongoose';
import { DeliverySweep } from './deliveries.sweep.mongoose';
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
  Settlement,
  StoredDelivery,
  StoredEvent,
  SweptBefore,
  TakeoverLease,
} from './deliveries.store';
import {
  claimedDocument,
  claimOperation,
  deliveryId,
  forgetOperations,
  newDocument,
  orderOperation,
  putAsideOperation,
  renewOperation,
  settleOperation,
  takeoverFilter,
  takeoverOperation,
  undoClaimOperations,
  undoTakeoverOperations,
  type LeasedDelivery,
  type Operation,
} from './deliveries.updates.mongoose';

type ObjectId = MongoDriver.ObjectId;

export class MongooseDeliveryStore implements DeliveryStore {
  private readonly deliveries: StoreModel<DeliveryDocument>;
  /** Calls of `record` in progress: a claim waits for those that began before it. */
  private readonly recording = new Set<Promise<unknown>>();
  private readonly sweeping = new DeliverySweep(() => this.collection());
  private readonly undos = new PendingUndos((operations) => bulkWrite(this.deliveries, operations));

  constructor(private readonly connection: MongoConnection) {
    this.deliveries = modelOf<DeliveryDocument>(connection, 'dispatch_deliveries', DELIVERY_SCHEMA);
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'dispatch', DELIVERY_MIGRATIONS);
  }

  async insert(deliveries: NewDelivery[]): Promise<number> {
    const documents = deliveries.map(newDocument);
    return (await this.insertAll(documents)).inserted;
  }

  /** New deliveries are inserted as already claimed, in one write; existing ones are claimed as they stand. */
  async insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<InsertResult> {
    const claim = this.newId();
    const claimIds = new Set(keys.map(deliveryId));
    const isClaimed = (one: NewDelivery) => claimIds.has(deliveryId(one)) && one.dueAt <= lease.now;
    const documents = deliveries.map((one) => (isClaimed(one) ? claimedDocument(one, lease, claim) : newDocument(one)));
    const ids = keys.map(deliveryId);
    return this.undos.runUndoable(
      () => undoClaimOperations(ids, claim, lease.now),
      async () => {
        const { inserted, refused } = await this.insertAll(documents);
        const existingIds = new Set(documents.filter((_one, at) => refused.has(at)).map(({ _id }) => _id));
        const existingKeys = keys.filter((key) => existingIds.has(deliveryId(key)));
        const newlyClaimed = documents.filter(({ _id, claim }) => claim !== undefined && !existingIds.has(_id));
        return {
          added: inserted,
          claimed: [...newlyClaimed.map(claimedDelivery), ...(await this.claimAs(claim, existingKeys, lease))],
        };
      },
    );
  }

  due(limit: number, now: number, lane: string): Promise<DueDelivery[]> {
    return dueDeliveries(this.collection(), limit, now, lane);
  }

  nextDue(after: number, lane: string): Promise<number | null> {
    return nextDue(this.collection(), after, lane);
  }

  async putAside(deliveries: DueDelivery[]): Promise<void> {
    await bulkWrite(this.deliveries, deliveries.map(putAsideOperation));
  }

  lanes(): Promise<string[]> {
    return lanesOf(this.collection());
  }

  sweep(before: SweptBefore, limit: number): Promise<boolean> {
    return this.sweeping.step(before, limit);
  }

  async recall(recall: Parameters<DeliveryStore['recall']>[0]): Promise<number> {
    return recallDeliveries(this.collection(), await this.lanes(), recall);
  }

  expired(limit: number, now: number): Promise<ExpiredDelivery[]> {
    return expiredDeliveries(this.collection(), limit, now);
  }

  countWaiting(limit: number): Promise<number> {
    return countWaiting(this.collection(), limit);
  }

  async claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]> {
    const claim = this.newId();
    return this.undos.runUndoable(
      () => undoClaimOperations(keys.map(deliveryId), claim, lease.now),
      () => this.claimAs(claim, keys, lease),
    );
  }

  async renew(claims: Claim[], until: number): Promise<boolean[]> {
    const { matched } = await bulkWrite(
      this.deliveries,
      claims.map((claim) => renewOperation(claim, until)),
    );
    if (matched === claims.length) return claims.map(() => true);
    const found = await this.documents({ _id: { $in: claims.map(deliveryId) } }, { owner: 1, attempts: 1 });
    const byId = new Map(found.map((one) => [one._id, one]));
    return claims.map((claim) => {
      const stored = byId.get(deliveryId(claim));
      return stored?.owner === claim.owner && stored.attempts === claim.attempts;
    });
  }

  async takeOver(lease: TakeoverLease, limit: number, held: DeliveryKey[] = []): Promise<ClaimedDelivery[]> {
    await this.undos.runPending();
    const projection = { attempts: 1, owner: 1, lease_until: 1 } as const;
    const cursor = this.collection().find<LeasedDelivery>(takeoverFilter(lease, held), {
      projection,
      hint: LEASED_INDEX,
    });
    const found = await withStoreFaults(cursor.sort({ lease_until: 1 }).limit(limit).toArray());
    if (found.length === 0) return [];
    const claim = this.newId();
    const ids = found.map(({ _id }) => _id);
    const writes = found.map((one) => takeoverOperation(one, lease, claim));
    return this.undos.runUndoable(
      () => undoTakeoverOperations(ids, claim),
      () => this.claimAndLoad(writes, ids, claim),
    );
  }

  /** Here each process has a name of its own: none left claims under it. */
  takeOverOwn(): Promise<ClaimedDelivery[]> {
    return Promise.resolve([]);
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
    const { inserted, matched } = await bulkWrite(
      this.deliveries,
      orders.map((order) => orderOperation(order, settled, this.newId())),
    );
    if (inserted + matched === orders.length) return orders.map(() => true);
    const ids = orders.map(({ next }) => deliveryId(next));
    const done = await this.documents({ _id: { $in: ids }, settled: { $eq: settled } }, { _id: 1 });
    const carriedOut = new Set(done.map(({ _id }) => _id));
    return ids.map((id) => carriedOut.has(id));
  }

  async unannounced(limit: number): Promise<StoredEvent[]> {
    const cursor = this.collection().find<{ outcomes: StoredOutcome[] }>(
      { told_at: { $exists: true } },
      { projection: { outcomes: 1 }, hint: UNANNOUNCED_INDEX },
    );
    const found = await withStoreFaults(cursor.sort({ told_at: 1 }).limit(limit).toArray());
    // Outcomes of one delivery stay in the order in which they were written: ids from two processes have no order within a second.
    const outcomes = found.flatMap((one) => one.outcomes);
    return outcomes.slice(0, limit).map(({ id, json }) => ({ id, json }));
  }

  async forgetAnnounced(ids: string[]): Promise<void> {
    await bulkWrite(this.deliveries, forgetOperations(ids));
  }

  private async settle(settlements: Settlement[]): Promise<boolean[]> {
    const settled = this.newId();
    const writes = settlements.map((settlement) => settleOperation(settlement, settled, this.newId()));
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

  private insertAll(documents: DeliveryDocument[]): Promise<BulkOutcome> {
    return bulkWrite(
      this.deliveries,
      documents.map((document): Operation => ({ insertOne: { document } })),
    );
  }

  private async claimAs(claim: ObjectId, keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]> {
    if (keys.length === 0) return [];
    await Promise.all(this.recording);
    const ids = keys.map(deliveryId);
    return this.claimAndLoad([claimOperation(ids, lease, claim)], ids, claim);
  }

  /** Runs the compare-and-sets of a claim; resolves to the deliveries it obtained, with their contents. */
  private async claimAndLoad(writes: Operation[], ids: string[], claim: ObjectId): Promise<ClaimedDelivery[]> {
    await bulkWrite(this.deliveries, writes);
    const found = await this.documents({ _id: { $in: ids }, claim: { $eq: claim } });
    return found.map(claimedDelivery);
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

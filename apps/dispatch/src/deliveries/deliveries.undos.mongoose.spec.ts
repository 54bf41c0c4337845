import { StoreUnavailable, type MongoConnection } from '@lettermill/storage';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { claimOf, leaseOf, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import type { Delivery } from '../lifecycle/delivery';
import type { DeliveryStore } from './deliveries.store';
import { MongooseDeliveryStore } from './deliveries.store.mongoose';

const ASIDE = 'example.com';
/** Of a process that died: it has ended by `NOW`. */
const DEAD = leaseOf('dead', NOW - 2 * MINUTE);

/** What is done about a claim whose answer was lost, before anything is claimed again. */
describeWithMongo('an undone claim in MongoDB', (open) => {
  let connection: MongoConnection;
  let store: MongooseDeliveryStore;
  beforeEach(async () => {
    connection = await open();
    store = new MongooseDeliveryStore(connection);
    await store.migrate();
  });
  afterEach(() => jest.restoreAllMocks());

  const broken = () => Promise.reject(new StoreUnavailable('the connection broke'));
  const calls = () => connection.models.dispatch_deliveries!.collection;
  const rawOf = (n: number) => calls().findOne({ message_id: queued(n).messageId });
  /** The server never sees the next write. */
  const loseWrite = () => jest.spyOn(calls(), 'bulkWrite').mockImplementationOnce(broken);
  /** The server carries out the next write, and its answer is lost. */
  const loseAnswer = () => {
    const { bulkWrite } = calls();
    jest.spyOn(calls(), 'bulkWrite').mockImplementationOnce(async (...args) => {
      await bulkWrite.apply(calls(), args);
      return broken();
    });
  };
  const claim = (owner: string, ...numbers: number[]) =>
    store.claim(
      numbers.map((n) => queued(n)),
      leaseOf(owner),
    );
  const undo = () => claim('undoes');
  const cancel = async (before: Delivery) => {
    const next = { ...before, state: 'cancelled' as const, dueAt: null };
    return store.order([{ before, next, event: { id: 'cancelled', json: '{}' } }]);
  };

  it('makes new and deferred deliveries due again in the main lane, with no trace of the claim', async () => {
    await store.insert([queued(1), queued(2)]);
    await claim('a', 2);
    await store.record([settlement(claimOf(2, 'a'), 'deferred', NOW)]);
    await store.putAside([queued(1), queued(2)]);
    loseAnswer();
    await expect(claim('a', 1, 2)).rejects.toThrow(StoreUnavailable);
    expect(await store.lanes()).toEqual([]);
    await undo();
    expect(await store.find([queued(1), queued(2)])).toMatchObject([
      { state: 'queued', attempts: 0, dueAt: NOW },
      { state: 'deferred', attempts: 1, dueAt: NOW },
    ]);
    expect(await store.due(10, NOW, ASIDE)).toEqual([]);
    expect(await rawOf(1)).not.toHaveProperty('owner');
    expect(await store.takeOver(leaseOf('b', NOW + 2 * MINUTE), 10)).toEqual([]);
    expect(await claim('b', 1, 2)).toHaveLength(2);
  });

  it('leaves the claim of another process alone', async () => {
    await store.insert([queued(1), queued(2)]);
    loseWrite();
    await expect(claim('a', 1, 2)).rejects.toThrow(StoreUnavailable);
    const other = new MongooseDeliveryStore(connection);
    expect(await other.claim([queued(1)], leaseOf('b'))).toHaveLength(1);
    await undo();
    expect(await other.renew([claimOf(1, 'b')], NOW + MINUTE)).toEqual([true]);
    expect(await rawOf(1)).toMatchObject({ state: 'sending', owner: 'b' });
  });

  it('touches nothing else, be it new, tried before or taken over', async () => {
    const old = [4, 5].map((n) => queued(n, { dueAt: DEAD.now }));
    await store.insert([queued(1), queued(2), queued(3), ...old]);
    await claim('a', 3);
    await store.record([settlement(claimOf(3, 'a'), 'deferred', NOW)]);
    const other = new MongooseDeliveryStore(connection);
    await other.claim([queued(2), queued(3)], leaseOf('b'));
    await other.claim(old, DEAD);
    loseAnswer();
    await expect(claim('a', 1)).rejects.toThrow(StoreUnavailable);
    await undo();
    loseAnswer();
    await expect(store.takeOver(leaseOf('a'), 10, [queued(4)])).rejects.toThrow(StoreUnavailable);
    await undo();
    const owners = await Promise.all([1, 2, 3, 4, 5].map(async (n) => (await rawOf(n))!.owner as string));
    expect(owners).toEqual([undefined, 'b', 'b', 'dead', '']);
  });

  it('is not needed after a record that failed, which holds up no later claim', async () => {
    await store.insert([queued(1)]);
    loseWrite();
    await expect(store.record([settlement(claimOf(2, 'a'), 'sent')])).rejects.toThrow(StoreUnavailable);
    expect(await claim('a', 1)).toHaveLength(1);
  });

  it('wakes nothing that was cancelled, when its own answer was lost and it is repeated', async () => {
    await store.insert([queued(1)]);
    loseAnswer();
    await expect(claim('a', 1)).rejects.toThrow(StoreUnavailable);
    loseAnswer();
    await expect(undo()).rejects.toThrow(StoreUnavailable);
    expect(await cancel((await store.find([queued(1)]))[0]!)).toEqual([true]);
    await undo();
    expect(await store.find([queued(1)])).toMatchObject([{ state: 'cancelled', dueAt: null }]);
  });

  it('is tried again when the server cannot be reached for it either', async () => {
    await store.insert([queued(1)]);
    loseAnswer();
    await expect(claim('a', 1)).rejects.toThrow(StoreUnavailable);
    loseWrite();
    await expect(undo()).rejects.toThrow(StoreUnavailable);
    expect(await claim('b', 1)).toHaveLength(1);
  });

  it('happens once: what is claimed later stays claimed', async () => {
    await store.insert([queued(1)]);
    loseAnswer();
    await expect(claim('a', 1)).rejects.toThrow(StoreUnavailable);
    expect(await claim('a', 1)).toHaveLength(1);
    await undo();
    expect(await rawOf(1)).toMatchObject({ state: 'sending', owner: 'a' });
  });

  it('of a takeover leaves what another process has taken over meanwhile', async () => {
    const all = [1, 2].map((n) => queued(n, { dueAt: DEAD.now }));
    await store.insert(all);
    await store.claim(all, DEAD);
    const takeOver = () => store.takeOver(leaseOf('a'), 10);
    loseWrite();
    await expect(takeOver()).rejects.toThrow(StoreUnavailable);
    const other = new MongooseDeliveryStore(connection);
    const [taken] = await other.takeOver(leaseOf('b'), 1);
    await undo();
    expect(await calls().findOne({ message_id: taken!.messageId })).toMatchObject({
      owner: 'b',
      lease_until: NOW + MINUTE,
    });
    expect(await takeOver()).toHaveLength(1);
  });

  it('of a takeover makes the delivery anybody else’s at once', async () => {
    await store.insert([queued(1, { dueAt: DEAD.now })]);
    await store.claim([queued(1)], DEAD);
    loseAnswer();
    await expect(store.takeOver(leaseOf('a'), 10)).rejects.toThrow(StoreUnavailable);
    await undo();
    const other = new MongooseDeliveryStore(connection);
    expect(await other.renew([{ ...claimOf(1, 'a'), claimedAt: DEAD.now }], NOW + 9 * MINUTE)).toEqual([false]);
    expect(await other.takeOver(leaseOf('b'), 10)).toMatchObject([{ claimedAt: DEAD.now }]);
  });
});

const lease = leaseOf('a');
const settled = settlement(claimOf(1, 'a'), 'sent');
const order = { before: null, next: settled.next, event: settled.event! };
describeDenied<DeliveryStore>('MongooseDeliveryStore', (connection) => new MongooseDeliveryStore(connection), {
  migrate: (store) => store.migrate(),
  insert: (store) => store.insert([queued(1)]),
  due: (store) => store.due(1, 1, ''),
  nextDue: (store) => store.nextDue(1, ''),
  putAside: (store) => store.putAside([queued(1)]),
  lanes: (store) => store.lanes(),
  recall: (store) => store.recall({ acceptedAfter: 1, latest: [1] }),
  expired: (store) => store.expired(1, 1),
  countWaiting: (store) => store.countWaiting(1),
  claim: (store) => store.claim([queued(1)], lease),
  insertAndClaim: (store) => store.insertAndClaim([queued(1)], [queued(1)], lease),
  renew: (store) => store.renew([claimOf(1, 'a')], NOW),
  takeOver: (store) => store.takeOver(lease, 1),
  takeOverOwn: false,
  record: (store) => store.record([settled]),
  order: (store) => store.order([order]),
  unannounced: (store) => store.unannounced(1),
  forgetAnnounced: (store) => store.forgetAnnounced(['e']),
  find: (store) => store.find([queued(1)]),
  sweep: (store) => store.sweep({ contents: 1, deliveries: 1 }, 1),
});

import { idOf, StoreUnavailable, type MongoConnection } from '@lettermill/storage';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { leaseOf, NOW } from '../testing/deliveries';
import type { DeliveryDocument } from './deliveries.schema.mongoose';
import { deliveryStoreContract } from './deliveries.store.contract';
import { MongooseDeliveryStore } from './deliveries.store.mongoose';
import type { NewDelivery, Order, Settlement } from './deliveries.store';

const queued = (messageId: string): NewDelivery => ({
  accountId: 'default',
  messageId,
  priority: 1,
  domain: 'example.com',
  dueAt: NOW,
  expiresAt: null,
  content: `content of ${messageId}`,
  recipients: ['ada@example.org'],
});
const sent = (messageId: string, owner: string): Settlement => ({
  claim: { accountId: 'default', messageId, owner, attempts: 0, claimedAt: NOW },
  next: { accountId: 'default', messageId, state: 'sent', attempts: 1, dueAt: null },
  event: { id: `${messageId}/sent`, json: '{}' },
});

describeWithMongo('MongooseDeliveryStore', (open) => {
  let connection: MongoConnection;
  async function make(): Promise<MongooseDeliveryStore> {
    connection = await open();
    const store = new MongooseDeliveryStore(connection);
    await store.migrate();
    return store;
  }
  const stored = (messageId: string) =>
    connection.db!.collection<DeliveryDocument>('dispatch_deliveries').findOne({ message_id: messageId });
  /** Loses the server's next answer to a find. */
  const loseAnswer = () => {
    const { collection } = connection.models.dispatch_deliveries!;
    const lost = new StoreUnavailable('the connection broke');
    jest.spyOn(collection, 'find').mockReturnValueOnce({ toArray: () => Promise.reject(lost) } as never);
  };
  afterEach(() => jest.restoreAllMocks());

  describe('as a delivery store', () => deliveryStoreContract(make));

  it('does not say which attempt was asked for if an older version stored the delivery', async () => {
    const store = await make();
    await store.insert([queued('m1')]);
    const collection = connection.db!.collection<DeliveryDocument>('dispatch_deliveries');
    await collection.updateOne({ message_id: 'm1' }, { $unset: { requested_attempt: 1 }, $set: { attempts: 3 } });
    const [old] = await store.find([queued('m1')]);
    expect(old).toMatchObject({ attempts: 3 });
    expect(old).not.toHaveProperty('requestedAttempt');
  });

  it('claims only after earlier outcomes are stored', async () => {
    const store = await make();
    await store.insert([queued('m1'), queued('m2')]);
    await store.claim([queued('m1')], leaseOf('a'));
    const order: string[] = [];
    const recording = store.record([sent('m1', 'a')]).then(() => order.push('recorded'));
    const claiming = store.claim([queued('m2')], leaseOf('a')).then(() => order.push('claimed'));
    await Promise.all([recording, claiming]);
    expect(order).toEqual(['recorded', 'claimed']);
  });

  it('makes a delivery due again if the response to its claim was lost', async () => {
    const store = await make();
    await store.insert([queued('m1')]);
    loseAnswer();
    await expect(store.claim([queued('m1')], leaseOf('a'))).rejects.toThrow(StoreUnavailable);
    expect(await stored('m1')).toMatchObject({ state: 'sending', owner: 'a' });
    expect(await store.takeOver(leaseOf('a'), 10)).toEqual([]);
    expect(await stored('m1')).toMatchObject({ state: 'queued', due_at: NOW });
    expect(await store.claim([queued('m1')], leaseOf('a'))).toMatchObject([{ messageId: 'm1', attempts: 0 }]);
  });

  it('inserts and claims in one write, without a read', async () => {
    const store = await make();
    const { collection } = connection.models.dispatch_deliveries!;
    const calls = [jest.spyOn(collection, 'bulkWrite'), jest.spyOn(collection, 'find')];
    const { claimed } = await store.insertAndClaim([queued('m1'), queued('m2')], [queued('m1')], leaseOf('a'));
    expect(claimed).toMatchObject([{ messageId: 'm1', attempts: 0, content: 'content of m1' }]);
    expect(calls.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    expect(await store.record([sent('m1', 'a')])).toEqual([true]);
  });

  it('makes a delivery due again if the response to its insert and claim was lost', async () => {
    const store = await make();
    const { collection } = connection.models.dispatch_deliveries!;
    const { bulkWrite } = collection;
    jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...args) => {
      await bulkWrite.apply(collection, args);
      throw new StoreUnavailable('the connection broke');
    });
    const keep = () => store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
    await expect(keep()).rejects.toThrow(StoreUnavailable);
    expect(await stored('m1')).toMatchObject({ state: 'sending', owner: 'a' });
    expect(await keep()).toMatchObject({ added: 0, claimed: [{ messageId: 'm1', attempts: 0 }] });
  });

  it('returns the claim even if the driver wrote it twice', async () => {
    const store = await make();
    const { collection } = connection.models.dispatch_deliveries!;
    const { bulkWrite } = collection;
    jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...args) => {
      await bulkWrite.apply(collection, args);
      return bulkWrite.apply(collection, args);
    });
    const { claimed } = await store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
    expect(claimed).toMatchObject([{ messageId: 'm1', attempts: 0, content: 'content of m1' }]);
  });

  it('reports an order as carried out, even if another process sent the delivery before it could check', async () => {
    const store = await make();
    const { collection } = connection.models.dispatch_deliveries!;
    const { bulkWrite } = collection;
    await store.insert([queued('m1')]);
    const before = (await store.find([queued('m1')]))[0]!;
    const next = { ...before, dueAt: NOW - 1 };
    jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...args) => {
      const done = await bulkWrite.apply(collection, args);
      await store.claim([queued('m1')], leaseOf('b'));
      await store.record([sent('m1', 'b')]);
      return done;
    });
    expect(await store.order([{ before, next, event: { id: 'm1/retried', json: '{}' } }])).toEqual([true]);
  });

  it('knows an outcome that is recorded again after a later one, until it is announced', async () => {
    const store = await make();
    await store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
    const first = sent('m1', 'a');
    const deferred: Settlement = { ...first, event: { id: 'm1/1/deferred', json: '{}' } };
    deferred.next = { ...first.next, state: 'deferred', dueAt: NOW };
    await store.record([deferred]);
    await store.claim([queued('m1')], leaseOf('a'));
    await store.record([{ ...first, claim: { ...first.claim, attempts: 1 } }]);
    expect(await store.record([deferred])).toEqual([true]);
    expect(await store.unannounced(10)).toHaveLength(2);
  });

  it('knows an outcome that is recorded again after another process has announced it', async () => {
    const store = await make();
    await store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
    await store.record([sent('m1', 'a')]);
    await store.forgetAnnounced(['m1/sent']);
    expect(await store.record([sent('m1', 'a')])).toEqual([true]);
    expect(await store.unannounced(10)).toEqual([]);
  });

  it('does not take over a claim that was renewed after it was found', async () => {
    const store = await make();
    await store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
    const { collection } = connection.models.dispatch_deliveries!;
    const { bulkWrite } = collection;
    const claim = { accountId: 'default', messageId: 'm1', owner: 'a', attempts: 0, claimedAt: NOW };
    jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...args) => {
      await store.renew([claim], NOW + 300_000);
      return bulkWrite.apply(collection, args);
    });
    expect(await store.takeOver(leaseOf('b', NOW + 120_000), 10)).toEqual([]);
    expect(await store.record([sent('m1', 'a')])).toEqual([true]);
  });

  it.each(['updateMany', 'deleteMany'] as const)(
    'sweeps nothing that is retried on request just before its %s',
    async (name) => {
      const store = await make();
      await store.insertAndClaim([queued('m1')], [queued('m1')], leaseOf('a'));
      const bounced = sent('m1', 'a');
      await store.record([{ ...bounced, next: { ...bounced.next, state: 'bounced' }, mayReturn: true }]);
      await store.forgetAnnounced(['m1/sent']);
      const { collection } = connection.models.dispatch_deliveries!;
      const write = collection[name].bind(collection) as (...given: unknown[]) => Promise<never>;
      jest.spyOn(collection, name).mockImplementationOnce(async (...args: unknown[]) => {
        const before = (await store.find([queued('m1')]))[0]!;
        const next = { ...before, state: 'deferred' as const, dueAt: NOW };
        expect(await store.order([{ before, next, event: { id: 'm1/retried', json: '{}' } }])).toEqual([true]);
        return write(...args);
      });
      const all = 8_000_000_000_000;
      await store.sweep(
        name === 'updateMany' ? { contents: all, deliveries: null } : { contents: null, deliveries: all },
        10,
      );
      expect(await store.find([queued('m1')])).toMatchObject([{ state: 'deferred', content: 'content of m1' }]);
    },
  );

  it('sweeps up to its limit in a step, whatever the number of accounts, and asks each account only once for all steps', async () => {
    const store = await make();
    const deliveries = connection.db!.collection<DeliveryDocument>('dispatch_deliveries');
    const ended = (account_id: string, message_id: string) =>
      ({ _id: idOf(account_id, message_id), account_id, message_id, state: 'sent' }) as DeliveryDocument;
    const accounts = Array.from({ length: 20 }, (_, n) => `account ${n}`);
    await deliveries.insertMany([
      ...accounts.map((account) => ended(account, 'm0')),
      ...accounts.map((account) => ended(account, 'm1')),
      ...Array.from({ length: 10 }, (_, n) => ended('account 7', `m2${n}`)),
    ]);
    const finds = jest.spyOn(connection.models.dispatch_deliveries!.collection, 'find');
    const all = { contents: null, deliveries: 8_000_000_000_000 };
    const left: number[] = [];
    while (await store.sweep(all, 10)) left.push(await deliveries.countDocuments());
    expect(left).toEqual([40, 30, 20, 10, 0]);
    expect(finds.mock.calls.length).toBeLessThan(60);
    await deliveries.insertOne(ended('account 0', 'm0'));
    expect(await store.sweep(all, 10)).toBe(false);
    expect(await deliveries.countDocuments()).toBe(0);
  });

  it('takes a delivery over again if the response to its first takeover was lost', async () => {
    const store = await make();
    await store.insert([queued('m1')]);
    await store.claim([queued('m1')], leaseOf('dead'));
    const later = leaseOf('a', NOW + 120_000);
    const { collection } = connection.models.dispatch_deliveries!;
    const { find } = collection;
    const lost = { toArray: () => Promise.reject(new StoreUnavailable('the connection broke')) };
    jest
      .spyOn(collection, 'find')
      .mockImplementationOnce((...args: unknown[]) => find.apply(collection, args as never))
      .mockReturnValueOnce(lost as never);
    await expect(store.takeOver(later, 10)).rejects.toThrow(StoreUnavailable);
    expect(await stored('m1')).toMatchObject({ owner: 'a' });
    expect(await store.takeOver(later, 10)).toMatchObject([{ messageId: 'm1', claimedAt: NOW }]);
  });

  it('keeps neither content nor queue fields of an ended delivery', async () => {
    const store = await make();
    await store.insert([queued('m1')]);
    await store.claim([queued('m1')], leaseOf('a'));
    await store.record([sent('m1', 'a')]);
    await store.forgetAnnounced(['m1/sent']);
    expect(Object.keys((await stored('m1'))!).sort()).toEqual([
      '_id',
      'account_id',
      'attempts',
      'claim',
      'domain',
      'lane',
      'last_event',
      'message_id',
      'priority',
      'recipients',
      'requested_attempt',
      'settled',
      'state',
    ]);
  });

  it('returns the events of a delivery in order, whichever processes recorded them within a second', async () => {
    const store = await make();
    const { ObjectId } = connection.base.Types;
    const idsOf = (process: string) => {
      let count = 0x100000;
      const made = () => new ObjectId(`6a000000${process}${(count += 1).toString(16)}`);
      jest.spyOn(store as unknown as { newId: typeof made }, 'newId').mockImplementation(made);
    };
    await store.insert([queued('m1'), queued('m2')]);
    await store.claim([queued('m1'), queued('m2')], leaseOf('a'));
    const deferred = { ...sent('m1', 'a'), event: { id: 'm1/1/deferred', json: '{}' } };
    deferred.next = { ...deferred.next, state: 'deferred', dueAt: NOW };
    idsOf('ffffffffff');
    await store.record([deferred, sent('m2', 'a')]);
    idsOf('0000000000');
    const before = deferred.next;
    const cancel = { before, next: { ...before, state: 'cancelled', dueAt: null }, event: { id: 'm1/c', json: '{}' } };
    expect(await store.order([cancel as Order])).toEqual([true]);
    const unannouncedIds = async (limit: number) => (await store.unannounced(limit)).map(({ id }) => id);
    expect(await unannouncedIds(10)).toEqual(['m1/1/deferred', 'm1/c', 'm2/sent']);
    expect(await unannouncedIds(1)).toEqual(['m1/1/deferred']);
    await store.forgetAnnounced(['m1/1/deferred']);
    expect(await unannouncedIds(1)).toEqual(['m1/c']);
  });
});

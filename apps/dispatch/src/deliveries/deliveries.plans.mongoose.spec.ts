import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { leaseOf, NOW } from '../testing/deliveries';
import { MongooseDeliveryStore } from './deliveries.store.mongoose';

describeWithMongo('the plans of MongooseDeliveryStore', (open) => {
  async function make() {
    const connection = await open();
    const store = new MongooseDeliveryStore(connection);
    await store.migrate();
    const { collection } = connection.models.dispatch_deliveries!;
    return { store, collection };
  }

  it('reads its queues from their indexes', async () => {
    const { store, collection } = await make();
    const [reads, writes] = [jest.spyOn(collection, 'find'), jest.spyOn(collection, 'bulkWrite')];
    await store.due(10, 1, '');
    await store.nextDue(0, '');
    await store.lanes();
    await store.expired(10, 1);
    await store.takeOver(leaseOf('a'), 10);
    await store.takeOver({ ...leaseOf('a'), astray: NOW }, 10);
    await store.unannounced(10);
    await store.sweep({ contents: NOW, deliveries: null }, 10);
    await store.forgetAnnounced(['m1/sent']);
    const asked = reads.mock.calls.map(([filter, options]) => [filter, options as { hint: string }] as const);
    expect(asked).toHaveLength(12);
    const [forgets] = writes.mock.calls[0]![0] as unknown as { updateMany: { filter: object; hint: string } }[];
    const { filter: told, hint: toldHint } = forgets!.updateMany;
    jest.restoreAllMocks();
    for (const [filter, options] of [...asked, [told, { hint: toldHint }] as const]) {
      const { hint } = options;
      const plan = planOf(await collection.find(filter, options).explain());
      expect(plan).toEqual({ indexes: [hint], scans: false, sorts: false });
    }
  });

  it('counts what waits from the index alone: whether a field exists would be looked up in each delivery', async () => {
    const { store, collection } = await make();
    const count = jest.spyOn(collection, 'countDocuments');
    await store.countWaiting(10);
    const [filter, options] = count.mock.calls[0]!;
    jest.restoreAllMocks();
    const { hint } = options as { hint: string };
    expect(JSON.stringify(filter)).not.toContain('$exists');
    const keys = (await collection.indexes()).find(({ name }) => name === hint)!.key;
    expect(Object.keys(filter!)[0]).toBe(Object.keys(keys)[0]);
    expect(Object.keys(keys)).toEqual(expect.arrayContaining(Object.keys(filter!)));
  });
});

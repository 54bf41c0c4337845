import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { furthest } from './reach';
import { reachStoreContract } from './reach.store.contract';
import { MongooseReachStore } from './reach.store.mongoose';

describeWithMongo('MongooseReachStore', (open) => {
  reachStoreContract(async () => {
    const store = new MongooseReachStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });

  it('reads what was kept by the number of the partition alone', async () => {
    const connection = await open();
    const kept = [{ _id: 7, position: 5, event_id: 'e' }];
    await connection.db!.collection<{ _id: number }>('contacts_reach').insertMany(kept);
    const store = new MongooseReachStore(connection);
    await store.advance([{ place: '7', position: 6, eventId: 'f' }]);
    expect(furthest(await store.load())).toEqual([{ place: '7', position: 6, eventId: 'f' }]);
    await store.forget();
    expect(await store.load()).toEqual([]);
  });
});

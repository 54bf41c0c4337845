import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { reachStoreContract } from './reach.store.contract';
import { MongooseReachStore } from './reach.store.mongoose';

describeWithMongo('MongooseReachStore', (open) => {
  reachStoreContract(async () => {
    const store = new MongooseReachStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });

  it('takes over positions that were stored by partition number only', async () => {
    const connection = await open();
    const kept = [{ _id: 7, position: 5, event_id: 'e' }];
    await connection.db!.collection<{ _id: number }>('contacts_reach').insertMany(kept);
    const store = new MongooseReachStore(connection);
    for (let time = 0; time < 2; time += 1) {
      await connection.db!.collection('migrations').deleteMany({ feature: 'contacts.reach' });
      await store.migrate();
      expect(await store.load()).toEqual([{ place: '7', position: 5 + time, eventId: 'e' }]);
      await store.advance([{ place: '7', position: 6, eventId: 'e' }]);
    }
    expect(await connection.db!.collection('contacts_reach').find().toArray()).toEqual(kept);
  });
});

import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { positionsStoreContract } from './positions.store.contract';
import { MongoosePositionsStore } from './positions.store.mongoose';
import type { PositionsStore } from './positions.store';

describeWithMongo('MongoosePositionsStore', (open) => {
  positionsStoreContract(async () => {
    const store = new MongoosePositionsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});

describeDenied<PositionsStore>('MongoosePositionsStore', (connection) => new MongoosePositionsStore(connection), {
  migrate: (store) => store.migrate(),
  load: (store) => store.load(),
  advance: (store) => store.advance([{ place: 'p/0', position: 1, eventId: 'e' }]),
  forget: (store) => store.forget(),
});

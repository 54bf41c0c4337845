import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { refusalsStoreContract } from './refusals.store.contract';
import { MongooseRefusalsStore } from './refusals.store.mongoose';
import type { RefusalsStore } from './refusals.store';

describeWithMongo('MongooseRefusalsStore', (open) => {
  refusalsStoreContract(async () => {
    const store = new MongooseRefusalsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});

const message = { accountId: 'a', messageId: 'm' };
const refusal = { ...message, reason: { code: 'no_address' as const, detail: 'd' }, address: null };
describeDenied<RefusalsStore>('MongooseRefusalsStore', (connection) => new MongooseRefusalsStore(connection), {
  migrate: (store) => store.migrate(),
  load: (store) => store.load([message]),
  record: (store) => store.record([refusal], 1),
  sweep: (store) => store.sweep(1, 1),
});

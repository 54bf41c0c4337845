import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { keyStoreContract } from './keys.store.contract';
import { MongooseKeyStore } from './keys.store.mongoose';
import type { KeyStore } from './keys.store';

describeWithMongo('MongooseKeyStore', (open) => {
  keyStoreContract(async () => ({
    store: new MongooseKeyStore(await open()),
    close: () => Promise.resolve(),
  }));
});

describeDenied<KeyStore>('MongooseKeyStore', (connection) => new MongooseKeyStore(connection), {
  migrate: (store) => store.migrate(),
  all: (store) => store.all(),
  add: (store) => store.add({ hash: 'h', accountId: 'a', name: null, createdAt: 1 }),
  remove: (store) => store.remove('h'),
});

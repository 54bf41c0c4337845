import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { domainOf, domainStoreContract } from './domains.store.contract';
import { MongooseDomainStore } from './domains.store.mongoose';
import type { DomainStore } from './domains.store';

describeWithMongo('MongooseDomainStore', (open) => {
  domainStoreContract(async () => {
    const connection = await open();
    const store = new MongooseDomainStore(connection);
    await store.migrate();
    return store;
  });

  it('reads lists and due domains from their indexes', async () => {
    const connection = await open();
    const theirs = { account_id: { $eq: 'a' }, domain: { $gt: '' } };
    const found = connection.db!.collection('dispatch_domains').find(theirs).sort({ domain: 1 });
    const plan = planOf(await found.explain());
    expect(plan.indexes).toEqual(['dispatch_domains_name']);
    const due = connection
      .db!.collection('dispatch_domains')
      .find({ look_at: { $lte: 1 } })
      .sort({ look_at: 1 });
    expect(planOf(await due.explain()).indexes).toEqual(['dispatch_domains_look']);
  });
});

const one = domainOf('shop.example');
describeDenied<DomainStore>('MongooseDomainStore', (connection) => new MongooseDomainStore(connection), {
  migrate: (store) => store.migrate(),
  find: (store) => store.find([one]),
  list: (store) => store.list('a', 1, ''),
  page: (store) => store.page(1, null),
  due: (store) => store.due(1, 1),
  count: (store) => store.count('a'),
  put: (store) => store.put(one, null),
  remove: (store) => store.remove(one),
});

import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { domainStoreContract } from './domains.store.contract';
import { MongooseDomainStore } from './domains.store.mongoose';

describeWithMongo('MongooseDomainStore', (open) => {
  domainStoreContract(async () => {
    const store = new MongooseDomainStore(await open());
    await store.migrate();
    return store;
  });

  it('reads a list from its index', async () => {
    const connection = await open();
    const theirs = { account_id: { $eq: 'a' }, domain: { $gt: '' } };
    const found = connection.db!.collection('dispatch_domains').find(theirs).sort({ domain: 1 });
    const plan = planOf(await found.explain());
    expect(plan.indexes).toEqual(['dispatch_domains_name']);
  });
});

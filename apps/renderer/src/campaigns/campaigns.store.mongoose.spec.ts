import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { campaignStoreContract, versionOf } from './campaigns.store.contract';
import { MongooseCampaignStore, pageQuery } from './campaigns.store.mongoose';
import { refOf, type CampaignStore } from './campaigns.store';

describeWithMongo('MongooseCampaignStore', (open) => {
  campaignStoreContract(async () => ({
    store: new MongooseCampaignStore(await open()),
    close: () => Promise.resolve(),
  }));

  it.each([[null], ['C00000000000000002']])('pages before %s by an index, without sorting', async (before) => {
    const connection = await open();
    await new MongooseCampaignStore(connection).migrate();
    const { filter, order, hint } = pageQuery('a', before);
    const cursor = connection.db!.collection('renderer_campaigns').find(filter, { hint }).sort(order).limit(3);
    expect(planOf(await cursor.explain())).toEqual({ indexes: [hint], scans: false, sorts: false });
  });
});

const refs = [refOf(versionOf())];
describeDenied<CampaignStore>('MongooseCampaignStore', (connection) => new MongooseCampaignStore(connection), {
  migrate: (store) => store.migrate(),
  add: (store) => store.add(versionOf()),
  latest: (store) => store.latest('a', { slug: 'welcome' }),
  versions: (store) => store.versions(refs),
  page: (store) => store.page('a', 1, null),
  unpublished: (store) => store.unpublished(),
  markPublished: (store) => store.markPublished(refs),
});

import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { campaignStoreContract } from './campaigns.store.contract';
import { MongooseCampaignStore, pageQuery } from './campaigns.store.mongoose';

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

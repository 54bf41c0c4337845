import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { campaignStoreContract, versionOf } from './campaigns.store.contract';
import { MongooseCampaignStore, newestQuery, pageQuery } from './campaigns.store.mongoose';
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

  it('reads a page of any length in three calls: one for each campaign would take all connections', async () => {
    const connection = await open();
    const store = new MongooseCampaignStore(connection);
    await store.migrate();
    const names = Array.from({ length: 9 }, (_, n) => ({ id: `C0000000000000000${n}`, slug: `slug-${n}` }));
    for (const version of [1, 2]) await Promise.all(names.map((name) => store.add(versionOf({ ...name, version }))));
    const { collection } = connection.models.renderer_campaigns!;
    const calls = (['find', 'findOne', 'aggregate'] as const).map((name) => jest.spyOn(collection, name));
    const page = await store.page('a', 9, null);
    const counted = calls.flatMap(({ mock }) => mock.calls).length;
    jest.restoreAllMocks();
    expect(page.map(({ slug, version }) => `${slug} ${version}`)).toEqual(
      names.map(({ slug }) => `${slug} 2`).reverse(),
    );
    expect(counted).toBe(3);
  });

  it('finds the newest version of each campaign by an index', async () => {
    const connection = await open();
    await new MongooseCampaignStore(connection).migrate();
    const { stages, hint } = newestQuery('a', ['C00000000000000001', 'C00000000000000002']);
    const cursor = connection.db!.collection('renderer_campaigns').aggregate(stages, { hint });
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

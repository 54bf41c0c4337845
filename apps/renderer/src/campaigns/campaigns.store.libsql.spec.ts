import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { campaignStoreContract } from './campaigns.store.contract';
import { LibsqlCampaignStore, PAGE } from './campaigns.store.libsql';

describe('LibsqlCampaignStore', () => {
  campaignStoreContract(async () => {
    const { database, close } = await openDatabase();
    return { store: new LibsqlCampaignStore(database), close };
  });
});

describe('a page of campaigns in libsql', () => {
  it('reads a first and a newest version of each campaign, and sorts nothing', async () => {
    const { database, close } = await openDatabase();
    await new LibsqlCampaignStore(database).migrate();
    const plan = await database.read(`EXPLAIN QUERY PLAN ${PAGE}`, ['a', null, 3]);
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH first USING COVERING INDEX renderer_campaigns_first (account_id=? AND id<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH newest USING INDEX renderer_campaigns_id (account_id=? AND id=?)',
    ]);
    await close();
  });
});

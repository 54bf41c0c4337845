import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { describeCampaignStore } from './campaigns.store.contract';
import { LibsqlCampaignStore } from './campaigns.store.libsql';

describeCampaignStore('libsql', async () => {
  const { database, close } = await openDatabase();
  return { store: new LibsqlCampaignStore(database), close };
});

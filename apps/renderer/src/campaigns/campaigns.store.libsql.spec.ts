import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '@lettermill/storage';
import { describeCampaignStore } from './campaigns.store.contract';
import { LibsqlCampaignStore } from './campaigns.store.libsql';

describeCampaignStore('libsql', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lettermill-renderer-'));
  const database = new SqlDatabase(join(directory, 'test.db'));
  return {
    store: new LibsqlCampaignStore(database),
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});

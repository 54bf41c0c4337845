import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { describeCampaignStore } from './campaigns.store.contract';
import { MongooseCampaignStore } from './campaigns.store.mongoose';

describeWithMongo('campaigns in MongoDB', (open) => {
  describeCampaignStore('mongoose', async () => ({
    store: new MongooseCampaignStore(await open()),
    close: () => Promise.resolve(),
  }));
});

import { Module } from '@nestjs/common';
import { storeProvider } from '@lettermill/storage';
import { Bodies } from './bodies/bodies';
import { CampaignContents } from './campaigns/campaign.content';
import { CampaignLauncher } from './campaigns/campaign.launcher';
import { CampaignPublication } from './campaigns/campaign.publication';
import { CampaignsController } from './campaigns/campaigns.controller';
import { CAMPAIGN_STORE, type CampaignStore } from './campaigns/campaigns.store';
import { LibsqlCampaignStore } from './campaigns/campaigns.store.libsql';
import { MongooseCampaignStore } from './campaigns/campaigns.store.mongoose';
import { CampaignVersions } from './render/campaign.versions';
import { MailDrafts } from './render/mail.draft';
import { RenderConsumer } from './render/render.consumer';
import { RenderThreads } from './render/render.threads';

/** Campaigns and their versions, and the mails made from them. */
@Module({
  controllers: [CampaignsController, RenderConsumer],
  providers: [
    storeProvider<CampaignStore>(CAMPAIGN_STORE, { libsql: LibsqlCampaignStore, mongoose: MongooseCampaignStore }),
    Bodies,
    CampaignContents,
    CampaignPublication,
    CampaignLauncher,
    CampaignVersions,
    MailDrafts,
    RenderThreads,
  ],
})
export class RendererModule {}

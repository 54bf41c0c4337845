import { Module } from '@nestjs/common';
import { storeProvider } from '@lettermill/storage';
import { AccountKeys } from './accounts/account.keys';
import { KeysController } from './accounts/keys.controller';
import { KEY_STORE, type KeyStore } from './accounts/keys.store';
import { LibsqlKeyStore } from './accounts/keys.store.libsql';
import { MongooseKeyStore } from './accounts/keys.store.mongoose';
import { KeyRing } from './accounts/key.ring';
import { RateLimit } from './accounts/rate.limit';
import { RATE_STORE, type RateStore } from './accounts/rate.store';
import { MemoryRateStore } from './accounts/rate.store.memory';
import { MongooseRateStore } from './accounts/rate.store.mongoose';
import { Attachments } from './attachments/attachments';
import { UrlFiles } from './attachments/url.files';
import { CampaignsController } from './campaigns/campaigns.controller';
import { CampaignsView } from './campaigns/campaigns.view';
import { Launches } from './campaigns/launches';
import { ContactsController } from './contacts/contacts.controller';
import { DomainsController } from './domains/domains.controller';
import { InboundController } from './inbound/inbound.controller';
import { MessageOrders } from './messages/message.orders';
import { MessagesController } from './messages/messages.controller';
import { Forward } from './owners/forward';
import { OwnerClient } from './owners/owner.client';
import { Accept } from './send/accept';
import { Claims } from './send/claims';
import { CLAIM_STORE, type ClaimStore } from './send/claims.store';
import { LibsqlClaimStore } from './send/claims.store.libsql';
import { MongooseClaimStore } from './send/claims.store.mongoose';
import { Preparation } from './send/preparation';
import { RequestContent } from './send/request.content';
import { SendController } from './send/send.controller';
import { UnsubscribeController } from './unsubscribe/unsubscribe.controller';

/** The public API: keys, limits and acceptance; all other calls are forwarded to the services that own the data. */
@Module({
  controllers: [
    SendController,
    CampaignsController,
    MessagesController,
    ContactsController,
    DomainsController,
    InboundController,
    KeysController,
    UnsubscribeController,
  ],
  providers: [
    storeProvider<KeyStore>(KEY_STORE, { libsql: LibsqlKeyStore, mongoose: MongooseKeyStore }),
    storeProvider<ClaimStore>(CLAIM_STORE, { libsql: LibsqlClaimStore, mongoose: MongooseClaimStore }),
    storeProvider<RateStore>(RATE_STORE, { libsql: MemoryRateStore, mongoose: MongooseRateStore }),
    KeyRing,
    AccountKeys,
    RateLimit,
    OwnerClient,
    Forward,
    MessageOrders,
    CampaignsView,
    UrlFiles,
    Launches,
    Attachments,
    RequestContent,
    Claims,
    Preparation,
    Accept,
  ],
  exports: [KeyRing],
})
export class GatewayModule {}

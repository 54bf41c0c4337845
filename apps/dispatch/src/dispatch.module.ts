import { Logger, Module } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import { storeProvider } from '@lettermill/storage';
import { InboundReports } from './bounces/inbound';
import { InboundController } from './bounces/inbound.controller';
import { DeliveriesSweeper } from './deliveries/deliveries.sweeper';
import { DELIVERY_STORE, type DeliveryStore } from './deliveries/deliveries.store';
import { LibsqlDeliveryStore } from './deliveries/deliveries.store.libsql';
import { MongooseDeliveryStore } from './deliveries/deliveries.store.mongoose';
import { KeyVault } from './dkim/key.vault';
import { SignedMails } from './sending/signed.mails';
import { SigningKeys } from './domains/signing.keys';
import { DnsLookup } from './domains/dns.lookup';
import { Domains } from './domains/domains';
import { DomainsController } from './domains/domains.controller';
import { DOMAIN_STORE, type DomainStore } from './domains/domains.store';
import { LibsqlDomainStore } from './domains/domains.store.libsql';
import { MongooseDomainStore } from './domains/domains.store.mongoose';
import { DomainsRewrap } from './domains/domains.rewrap';
import { DomainsWatch } from './domains/domains.watch';
import { KeySets } from './domains/key.sets';
import { MailContents } from './mime/mail.contents';
import { Orders } from './orders/orders';
import { OrdersController } from './orders/orders.controller';
import { Attempts } from './sending/attempts';
import { DueQueue } from './due/due.queue';
import { Expiry } from './sending/expiry';
import { Leases } from './sending/leases';
import { Outcomes } from './sending/outcomes';
import { Sender } from './sending/sender';
import { SendingConsumer } from './sending/sending.consumer';
import { attemptsFromZero } from './sending/sending.metrics';
import { OldMailFilter } from './sending/old.mail.filter';
import { ActiveDeliveries } from './sending/active.deliveries';
import { showConnections } from './hop/hop.metrics';
import { hopFaultLogger } from './hop/hop.fault.logger';
import { SmtpPool } from './hop/hop.pool';

/** The next hop is SMTP_URL; if none is set, the embedded profile sets it to its mailbox. */
function poolOf(config: Config, now: Clock): SmtpPool {
  if (!config.nextHop) throw new Error('SMTP_URL is needed: dispatch has no next hop');
  const { ehloName, connections, hopRate } = config.sending;
  const logger = new Logger('dispatch');
  if (hopRate === 0) logger.warn('HOP_RATE is 0: no mail is sent, all of it waits');
  const pool = new SmtpPool(config.nextHop, now, { name: ehloName, maxConnections: connections });
  showConnections(pool);
  attemptsFromZero(pool.nextHop);
  pool.onHopChange(hopFaultLogger(pool.nextHop, logger, now));
  return pool;
}

/** Keys are encrypted with INTERNAL_SECRET unless DKIM_KEY_SECRET is set; those made before it was set may still be. */
function vaultOf({ dkimKeySecret, formerDkimKeySecret, internalSecret, formerInternalSecret }: Config): KeyVault {
  const secret = dkimKeySecret ?? internalSecret;
  if (!secret) throw new Error('DKIM_KEY_SECRET or INTERNAL_SECRET is needed: it encrypts private keys');
  const former = [formerDkimKeySecret, internalSecret, formerInternalSecret];
  return new KeyVault(
    secret,
    former.filter((one) => one !== null),
  );
}

/** Sends rendered mails to the next hop and reports what became of them. */
@Module({
  controllers: [SendingConsumer, OrdersController, InboundController, DomainsController],
  providers: [
    storeProvider<DeliveryStore>(DELIVERY_STORE, { libsql: LibsqlDeliveryStore, mongoose: MongooseDeliveryStore }),
    { provide: SmtpPool, inject: [CONFIG, CLOCK], useFactory: poolOf },
    storeProvider<DomainStore>(DOMAIN_STORE, { libsql: LibsqlDomainStore, mongoose: MongooseDomainStore }),
    { provide: KeyVault, inject: [CONFIG], useFactory: vaultOf },
    SigningKeys,
    SignedMails,
    KeySets,
    DnsLookup,
    Domains,
    DomainsWatch,
    DomainsRewrap,
    MailContents,
    InboundReports,
    Outcomes,
    Leases,
    Attempts,
    DueQueue,
    ActiveDeliveries,
    Expiry,
    Sender,
    OldMailFilter,
    Orders,
    DeliveriesSweeper,
  ],
})
export class DispatchModule {}

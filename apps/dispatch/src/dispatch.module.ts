import { Module } from '@nestjs/common';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { storeProvider } from '@lettermill/storage';
import { Inbound } from './bounces/inbound';
import { InboundController } from './bounces/inbound.controller';
import { DeliveriesConsumer } from './deliveries/deliveries.consumer';
import { DeliveriesSweeper } from './deliveries/deliveries.sweeper';
import { DELIVERY_STORE, type DeliveryStore } from './deliveries/deliveries.store';
import { LibsqlDeliveryStore } from './deliveries/deliveries.store.libsql';
import { MongooseDeliveryStore } from './deliveries/deliveries.store.mongoose';
import { MailContents } from './mime/mail.contents';
import { Orders } from './orders/orders';
import { OrdersController } from './orders/orders.controller';
import { Attempts } from './sending/attempts';
import { DueQueue } from './sending/due.queue';
import { Leases } from './sending/leases';
import { Outcomes } from './sending/outcomes';
import { Sender } from './sending/sender';
import { showConnections } from './smtp/smtp.metrics';
import { SmtpPool } from './smtp/smtp.pool';

/** The next hop is SMTP_URL; the embedded profile puts its mailbox there where none is set. */
function poolOf(config: Config, now: Clock): SmtpPool {
  if (!config.nextHop) throw new Error('SMTP_URL is needed: dispatch has no next hop');
  const pool = new SmtpPool(config.nextHop, now, { maxConnections: config.sending.connections });
  showConnections(pool);
  return pool;
}

/** Brings rendered mails to the next hop and tells what became of them. */
@Module({
  controllers: [DeliveriesConsumer, OrdersController, InboundController],
  providers: [
    storeProvider<DeliveryStore>(DELIVERY_STORE, { libsql: LibsqlDeliveryStore, mongoose: MongooseDeliveryStore }),
    { provide: SmtpPool, inject: [CONFIG, CLOCK], useFactory: poolOf },
    MailContents,
    Inbound,
    Outcomes,
    Leases,
    Attempts,
    DueQueue,
    Sender,
    Orders,
    DeliveriesSweeper,
  ],
})
export class DispatchModule {}

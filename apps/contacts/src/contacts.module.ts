import { Module } from '@nestjs/common';
import { storeProvider } from '@lettermill/storage';
import { ReachKeeper } from './reach/reach.keeper';
import { REACH_STORE, type ReachStore } from './reach/reach.store';
import { LibsqlReachStore } from './reach/reach.store.libsql';
import { MongooseReachStore } from './reach/reach.store.mongoose';
import { ReachWatch } from './reach/reach.watch';
import { ContactResolver } from './resolve/contact.resolver';
import { ContactsController } from './resolve/contacts.controller';
import { CONTACTS_STORE, type ContactsStore } from './resolve/contacts.store';
import { LibsqlContactsStore } from './resolve/contacts.store.libsql';
import { MongooseContactsStore } from './resolve/contacts.store.mongoose';
import { REFUSALS_STORE, type RefusalsStore } from './resolve/refusals.store';
import { LibsqlRefusalsStore } from './resolve/refusals.store.libsql';
import { MongooseRefusalsStore } from './resolve/refusals.store.mongoose';
import { RefusalsSweeper } from './resolve/refusals.sweeper';
import { ResolveConsumer } from './resolve/resolve.consumer';
import { ResolvedRecords } from './resolve/resolved.records';
import { SharedContents } from './resolve/shared.contents';
import { SuppressionsConsumer } from './suppressions/suppressions.consumer';
import { SuppressionsController } from './suppressions/suppressions.controller';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from './suppressions/suppressions.store';
import { LibsqlSuppressionsStore } from './suppressions/suppressions.store.libsql';
import { MongooseSuppressionsStore } from './suppressions/suppressions.store.mongoose';

/** Contacts, their profiles, and suppressions. Needs the platform module. */
@Module({
  controllers: [ResolveConsumer, ContactsController, SuppressionsConsumer, SuppressionsController],
  providers: [
    SharedContents,
    ContactResolver,
    ResolvedRecords,
    RefusalsSweeper,
    ReachKeeper,
    ReachWatch,
    storeProvider<ContactsStore>(CONTACTS_STORE, { libsql: LibsqlContactsStore, mongoose: MongooseContactsStore }),
    storeProvider<RefusalsStore>(REFUSALS_STORE, { libsql: LibsqlRefusalsStore, mongoose: MongooseRefusalsStore }),
    storeProvider<ReachStore>(REACH_STORE, { libsql: LibsqlReachStore, mongoose: MongooseReachStore }),
    storeProvider<SuppressionsStore>(SUPPRESSIONS_STORE, {
      libsql: LibsqlSuppressionsStore,
      mongoose: MongooseSuppressionsStore,
    }),
  ],
})
export class ContactsModule {}

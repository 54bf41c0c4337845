import { Module } from '@nestjs/common';
import { storeProvider } from '@lettermill/storage';
import { PositionsKeeper } from './positions/positions.keeper';
import { POSITIONS_STORE, type PositionsStore } from './positions/positions.store';
import { LibsqlPositionsStore } from './positions/positions.store.libsql';
import { MongoosePositionsStore } from './positions/positions.store.mongoose';
import { PositionsWatch } from './positions/positions.watch';
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
    PositionsKeeper,
    PositionsWatch,
    storeProvider<ContactsStore>(CONTACTS_STORE, { libsql: LibsqlContactsStore, mongoose: MongooseContactsStore }),
    storeProvider<RefusalsStore>(REFUSALS_STORE, { libsql: LibsqlRefusalsStore, mongoose: MongooseRefusalsStore }),
    storeProvider<PositionsStore>(POSITIONS_STORE, { libsql: LibsqlPositionsStore, mongoose: MongoosePositionsStore }),
    storeProvider<SuppressionsStore>(SUPPRESSIONS_STORE, {
      libsql: LibsqlSuppressionsStore,
      mongoose: MongooseSuppressionsStore,
    }),
  ],
})
export class ContactsModule {}

import type { Provider, Type } from '@nestjs/common';
import type { SqlDatabase } from './libsql/sql.database';
import type { MongoConnection } from './mongoose/mongo.types';

/** The storage of a process's feature stores; the profile decides which. */
export interface LibsqlStorage {
  kind: 'libsql';
  database: SqlDatabase;
}
export interface MongooseStorage {
  kind: 'mongoose';
  database: MongoConnection;
}
export type Storage = (LibsqlStorage | MongooseStorage) & {
  /** Rejects when the store cannot be used. */
  check(): Promise<void>;
};

export const STORAGE = Symbol('Storage');

/** Any store that a feature owns: brings its tables or indexes up to date before it is used. */
export interface MigratedStore {
  migrate(): Promise<void>;
}

/** Adapters of one store port, one per kind of storage. */
export interface StoreAdapters<Port extends MigratedStore> {
  libsql: Type<Port>;
  mongoose: Type<Port>;
}

/** The factories that open a store, to tell them from all others. */
const storeOpeners = new WeakSet<object>();

/** Provides a feature's store: the adapter that fits the storage of this process, migrated before anyone gets it. */
export function storeProvider<Port extends MigratedStore>(token: symbol, adapters: StoreAdapters<Port>): Provider {
  const openStore = async ({ kind, database }: Storage): Promise<Port> => {
    const store = new adapters[kind](database);
    await store.migrate();
    return store;
  };
  storeOpeners.add(openStore);
  return {
    provide: token,
    inject: [STORAGE],
    useFactory: openStore,
  };
}

/** Whether a provider's factory opens a store. */
export function isStoreOpener(factory: unknown): factory is (storage: Storage) => Promise<MigratedStore> {
  return typeof factory === 'function' && storeOpeners.has(factory);
}

import type { Connection, ConnectOptions, mongo } from 'mongoose';
import { withTimeout } from '@lettermill/concurrency';
import { StoreUnavailable } from '../faults';
import type { MongooseStorage, Storage } from '../storage';
import { openingFaultOf, withStoreFaults } from './mongo.faults';
import { mendDriver } from './mongo.mended';
import { databaseOf, MIGRATIONS_COLLECTION } from './mongo.migrations';

/** A call that finds no server within this time fails with `StoreUnavailable`; its caller tries again or reports it. */
const SERVER_SELECTION_TIMEOUT_MS = 2_500;
/** A server that accepted a call and sends nothing for this long is given up; so is a connection that died without a word. */
const SOCKET_TIMEOUT_MS = 20_000;
/** Firewalls forget connections that carry nothing, mostly after some minutes, and tell neither end. */
const MAX_IDLE_MS = 60_000;
/** A check is given up sooner, so that the next one may find another connection. */
const CHECK_TIMEOUT_MS = 3_000;
const HEARTBEAT_MS = 5_000;

/**
 * Every write is in the journals of a majority of the members before it is acknowledged, so no acknowledged write is
 * lost. Set on the client and so for every collection, whatever the defaults of server, database and URI are. By the names that the URI
 * has for them: in `writeConcern`, `journal=false` of a URI would win.
 */
const CONNECT_OPTIONS: ConnectOptions = {
  appName: 'lettermill',
  w: 'majority',
  journal: true,
  readConcernLevel: 'majority',
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
  connectTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  socketTimeoutMS: SOCKET_TIMEOUT_MS,
  maxIdleTimeMS: MAX_IDLE_MS,
  waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
  maxPoolSize: 40,
  // The driver's default is two at a time: after a start under load, some calls would have to wait too long for a connection.
  maxConnecting: 10,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
};

/**
 * Connects. Rejects with `StoreUnavailable` when no server answers (try again later), with `StoreFault` when the URI or
 * the credentials are wrong. The driver reconnects by itself from then on. `database` replaces the one that the URI
 * names.
 */
export async function openMongo(uri: string, database?: string): Promise<Connection> {
  // Loaded only when needed: the embedded profile starts without it.
  const { createConnection } = await import('mongoose');
  await mendDriver();
  let connection: Connection | undefined;
  try {
    connection = createConnection(
      uri,
      database === undefined ? CONNECT_OPTIONS : { ...CONNECT_OPTIONS, dbName: database },
    );
    // A connection that breaks later fails the calls made then.
    connection.on('error', () => undefined);
    return await connection.asPromise();
  } catch (error) {
    await connection?.destroy().catch(() => undefined);
    // If the URI cannot be parsed, there is no client.
    const client = connection?.getClient() as mongo.MongoClient | undefined;
    throw openingFaultOf(error, client?.options.tls);
  }
}

/** The storage that feature stores use. */
export function mongooseStorage(connection: Connection): Storage & MongooseStorage {
  return { kind: 'mongoose', database: connection, check: () => checkMongo(connection) };
}

/** Rejects when the server cannot be reached, or does not let us read: it would answer a ping to anybody. */
export async function checkMongo(connection: Connection): Promise<void> {
  const migrations = databaseOf(connection).collection(MIGRATIONS_COLLECTION);
  const silent = () => new StoreUnavailable(`MongoDB does not answer within ${CHECK_TIMEOUT_MS} ms`);
  await withTimeout(CHECK_TIMEOUT_MS, withStoreFaults(migrations.findOne({}, { projection: { _id: 1 } })), silent);
}

/** Whether the database has no collection: it is new, or not the one that was meant. */
export async function isMongoEmpty(connection: Connection): Promise<boolean> {
  const collections = databaseOf(connection).listCollections({}, { nameOnly: true });
  const names = (await withStoreFaults(collections.toArray())).map(({ name }) => name);
  return names.every((name) => name.startsWith('system.'));
}

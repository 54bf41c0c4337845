import type { Connection, ConnectOptions, mongo } from 'mongoose';
import type { MongooseStorage, Storage } from '../storage';
import { openingFaultOf, withStoreFaults } from './mongo.faults';
import { mendDriver } from './mongo.mended';
import { databaseOf, NOTES } from './mongo.migrations';

/** A call that finds no server within this fails as `StoreUnavailable`; who called tries again or says so. */
const FIND_SERVER_MS = 2_500;
/** A server that took a call and says nothing for so long is given up. */
const SILENCE_MS = 30_000;
const HEARTBEAT_MS = 5_000;

/**
 * Every write is on the journals of most members before it counts, on the client and so on every collection: the defaults
 * of server, database and URI are of no matter (no acknowledged write is lost).
 */
const OPTIONS: ConnectOptions = {
  appName: 'lettermill',
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  serverSelectionTimeoutMS: FIND_SERVER_MS,
  connectTimeoutMS: FIND_SERVER_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  socketTimeoutMS: SILENCE_MS,
  waitQueueTimeoutMS: FIND_SERVER_MS,
  maxPoolSize: 40,
  // The driver opens two at a time: after a start under load some calls would wait longer for one than they may.
  maxConnecting: 10,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
};

/**
 * Connects. Rejects with `StoreUnavailable` where no server answers (again later), with `StoreFault` where the URI or the
 * credentials are wrong. The driver reconnects by itself from then on. `database` stands in for the one the URI names.
 */
export async function openMongo(uri: string, database?: string): Promise<Connection> {
  // Loaded only where it is used: the embedded profile starts without it.
  const { createConnection } = await import('mongoose');
  await mendDriver();
  let connection: Connection | undefined;
  try {
    connection = createConnection(uri, database === undefined ? OPTIONS : { ...OPTIONS, dbName: database });
    // A connection that breaks later shows in the calls made then.
    connection.on('error', () => undefined);
    return await connection.asPromise();
  } catch (error) {
    await connection?.destroy().catch(() => undefined);
    // Without a URI that can be read there is no client.
    const client = connection?.getClient() as mongo.MongoClient | undefined;
    throw openingFaultOf(error, client?.options.tls);
  }
}

/** What feature stores stand on. */
export function mongooseStorage(connection: Connection): Storage & MongooseStorage {
  return { kind: 'mongoose', database: connection, check: () => checkMongo(connection) };
}

/** Rejects when the server can't be reached, or lets us read nothing: a ping it would answer to everybody. */
export async function checkMongo(connection: Connection): Promise<void> {
  await withStoreFaults(
    databaseOf(connection)
      .collection(NOTES)
      .findOne({}, { projection: { _id: 1 } }),
  );
}

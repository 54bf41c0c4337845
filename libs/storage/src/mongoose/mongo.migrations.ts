import type { Connection, mongo } from 'mongoose';
import { mustBeReadable } from '../unknown.migrations';
import { reportMigration } from '../migration.report';
import { withStoreFaults } from './mongo.faults';

type Database = NonNullable<Connection['db']>;

/** The collection that records what was applied; every database of ours has it. */
export const MIGRATIONS_COLLECTION = 'migrations';

/** A change of a feature's collections. Names are unique within the feature and applied in the order given. */
export interface MongoMigration {
  name: string;
  /** Indexes by collection, without those that need none: MongoDB refuses an empty list. Creating an existing one changes nothing. */
  indexes?: Record<string, mongo.IndexDescription[]>;
  /** Any other change; it may run again, and in two processes at once. */
  apply?(database: Database): Promise<unknown>;
}

/** Processes that start together make a new store within this time: what one of them finds half made is not of an older version. */
const NEW_STORE_MS = 600_000;

interface Applied {
  _id: string;
  feature: string;
  name: string;
  applied_at: Date;
}

/** The driver's database below the connection. */
export function databaseOf({ db }: Connection): Database {
  if (!db) throw new Error('the connection was never opened');
  return db;
}

/** A new database alone would miss what the topics have. */
const START_OVER = 'set MONGODB_URI to an empty database and KAFKA_TOPIC_PREFIX to new topics';

/**
 * Brings a feature's collections up to date; skips what was applied before. Steps are repeatable and recorded only when
 * done, so that processes that start together, or after one that died half-way, arrive at the same result. Rejects with
 * `StoreUnreadable` if the collections are those of a version that this one does not know.
 */
export async function migrateMongo(
  connection: Connection,
  feature: string,
  migrations: MongoMigration[],
): Promise<void> {
  const database = databaseOf(connection);
  const notes = database.collection<Applied>(MIGRATIONS_COLLECTION);
  const applied = await withStoreFaults(notes.find({ feature: { $eq: feature } }).toArray());
  mustBeReadable(feature, applied, migrations, START_OVER);
  await withStoreFaults(migrate(database, feature, migrations, applied));
}

async function migrate(
  database: Database,
  feature: string,
  migrations: MongoMigration[],
  applied: Applied[],
): Promise<void> {
  const notes = database.collection<Applied>(MIGRATIONS_COLLECTION);
  const done = new Set(applied.map(({ name }) => name));
  const isOlder = applied.some(({ applied_at }) => applied_at.getTime() < Date.now() - NEW_STORE_MS);
  for (const { name, indexes = {}, apply } of migrations.filter((migration) => !done.has(migration.name))) {
    if (isOlder) reportMigration(feature, name);
    for (const [collection, descriptions] of Object.entries(indexes)) {
      await database.collection(collection).createIndexes(descriptions);
    }
    await apply?.(database);
    const note = { $setOnInsert: { feature, name, applied_at: new Date() } };
    await notes.updateOne({ _id: { $eq: `${feature}/${name}` } }, note, { upsert: true });
  }
}

import type { Connection, mongo } from 'mongoose';
import { tellUpgrade } from '../upgrade.news';
import { withStoreFaults } from './mongo.faults';

type Database = NonNullable<Connection['db']>;

/** The collection of what was applied: it is in every database of ours. */
export const NOTES = 'migrations';

/** A change of a feature's collections. Names are unique within the feature and applied in the order given. */
export interface MongoMigration {
  name: string;
  /** Indexes by collection. Making one that is there changes nothing. */
  indexes?: Record<string, mongo.IndexDescription[]>;
  /** Anything else; it may be run again, and by two processes at once. */
  apply?(database: Database): Promise<unknown>;
}

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

/**
 * Brings a feature's collections up to date; what was applied before is passed over. Steps are repeatable and are noted only
 * when done: processes that start together, or again after one that died half-way, come to the same end.
 */
export function migrateMongo(connection: Connection, feature: string, migrations: MongoMigration[]): Promise<void> {
  return withStoreFaults(migrate(databaseOf(connection), feature, migrations));
}

async function migrate(database: Database, feature: string, migrations: MongoMigration[]): Promise<void> {
  const notes = database.collection<Applied>(NOTES);
  const done = new Set((await notes.find({ feature: { $eq: feature } }).toArray()).map(({ name }) => name));
  for (const { name, indexes = {}, apply } of migrations.filter((migration) => !done.has(migration.name))) {
    if (done.size > 0) tellUpgrade(feature, name);
    for (const [collection, descriptions] of Object.entries(indexes)) {
      await database.collection(collection).createIndexes(descriptions);
    }
    await apply?.(database);
    const note = { $setOnInsert: { feature, name, applied_at: new Date() } };
    await notes.updateOne({ _id: { $eq: `${feature}/${name}` } }, note, { upsert: true });
  }
}

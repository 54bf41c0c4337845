import { Kafka, logLevel } from 'kafkajs';
import { createConnection, type Connection } from 'mongoose';

/** Removes the topics and the database of a cluster that has ended. */
export async function forget(own: string, environment: Record<string, string>): Promise<void> {
  const { KAFKA_BROKERS, MONGODB_URI } = { ...process.env, ...environment };
  await Promise.all([topics(own, KAFKA_BROKERS!), database(own, MONGODB_URI!)]);
}

async function topics(own: string, brokers: string): Promise<void> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const all = await admin.listTopics();
    await admin.deleteTopics({ topics: all.filter((topic) => topic.startsWith(`${own}-`)) });
  } finally {
    await admin.disconnect();
  }
}

/** Deletes the documents that match a filter of the driver; resolves to their number. */
export function deleteFrom(own: string, collection: string, filter: Record<string, unknown>): Promise<number> {
  return inDatabase(own, process.env.MONGODB_URI!, async (connection) => {
    const { deletedCount } = await connection.collection(collection).deleteMany(filter);
    return deletedCount;
  });
}

const database = (own: string, uri: string) => inDatabase(own, uri, (connection) => connection.dropDatabase());

async function inDatabase<T>(own: string, uri: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await createConnection(uri, { dbName: own }).asPromise();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

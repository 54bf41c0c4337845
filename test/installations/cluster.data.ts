import { Kafka, logLevel } from 'kafkajs';
import { createConnection, type Connection } from 'mongoose';

/** Removes the topics and the database of a cluster that has ended. */
export async function deleteClusterData(namespace: string, environment: Record<string, string>): Promise<void> {
  const { KAFKA_BROKERS, MONGODB_URI } = { ...process.env, ...environment };
  await Promise.all([deleteTopics(namespace, KAFKA_BROKERS!), dropDatabase(namespace, MONGODB_URI!)]);
}

async function deleteTopics(namespace: string, brokers: string): Promise<void> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const all = await admin.listTopics();
    await admin.deleteTopics({ topics: all.filter((topic) => topic.startsWith(`${namespace}-`)) });
  } finally {
    await admin.disconnect();
  }
}

/** Deletes the documents that match a filter of the driver; resolves to their number. */
export function deleteDocuments(
  namespace: string,
  collection: string,
  filter: Record<string, unknown>,
): Promise<number> {
  return withDatabase(namespace, process.env.MONGODB_URI!, async (connection) => {
    const { deletedCount } = await connection.collection(collection).deleteMany(filter);
    return deletedCount;
  });
}

const dropDatabase = (namespace: string, uri: string) =>
  withDatabase(namespace, uri, (connection) => connection.dropDatabase());

async function withDatabase<T>(
  namespace: string,
  uri: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await createConnection(uri, { dbName: namespace }).asPromise();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

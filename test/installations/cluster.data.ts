import * as kafkajs from 'kafkajs';
import { createConnection, type Connection } from 'mongoose';
import { deleteTopics } from '../../libs/log/src/testing/topics';

/** Removes the topics and the database of a cluster that has ended. */
export async function deleteClusterData(namespace: string, environment: Record<string, string>): Promise<void> {
  const { KAFKA_BROKERS, MONGODB_URI } = { ...process.env, ...environment };
  await Promise.all([deleteTopics(kafkajs, KAFKA_BROKERS!, [`${namespace}-`]), dropDatabase(namespace, MONGODB_URI!)]);
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

import { Kafka, logLevel } from 'kafkajs';
import { createConnection } from 'mongoose';

/** Removes the topics and the database of a cluster that is gone. */
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

async function database(own: string, uri: string): Promise<void> {
  const connection = await createConnection(uri, { dbName: own }).asPromise();
  try {
    await connection.dropDatabase();
  } finally {
    await connection.close();
  }
}

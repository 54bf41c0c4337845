// Topics, groups and a database for one bench on Kafka and MongoDB, which are removed after it.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const CLUSTER = Boolean(process.env.KAFKA_BROKERS && process.env.MONGODB_URI);
export const brokers = () => process.env.KAFKA_BROKERS.split(',');

/** A unique name for topics, groups and a database, and how to remove them. */
export function ownCluster() {
  const own = `bench-${randomBytes(4).toString('hex')}`;
  const database = new URL(process.env.MONGODB_URI);
  database.pathname = `/${own}`;
  return { own, prefix: `${own}-`, mongodbUri: database.href, remove: () => Promise.all([topics(own), drop(own)]) };
}

/** A plain kafkajs client that logs nothing. */
export function kafka() {
  const { Kafka, logLevel } = require('kafkajs');
  return new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING });
}

async function topics(own) {
  const admin = kafka().admin();
  await admin.connect();
  const all = await admin.listTopics();
  await admin.deleteTopics({ topics: all.filter((topic) => topic.startsWith(`${own}-`)) });
  await admin.disconnect();
}

async function drop(own) {
  const connection = await require('mongoose').createConnection(process.env.MONGODB_URI, { dbName: own }).asPromise();
  await connection.dropDatabase();
  await connection.close();
}

// What a bench on Kafka and MongoDB has to itself, and leaves nothing of.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const CLUSTER = Boolean(process.env.KAFKA_BROKERS && process.env.MONGODB_URI);
export const brokers = () => process.env.KAFKA_BROKERS.split(',');

/** Topics, groups and a database under a name of their own. */
export function ownCluster() {
  const own = `bench-${randomBytes(4).toString('hex')}`;
  const database = new URL(process.env.MONGODB_URI);
  database.pathname = `/${own}`;
  return { own, prefix: `${own}-`, mongodbUri: database.href, remove: () => Promise.all([topics(own), drop(own)]) };
}

/** kafkajs as it comes, silent. */
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

import { Kafka, logLevel } from 'kafkajs';
import { createConnection } from 'mongoose';
import { Cluster } from '../installations/cluster';
import { Process } from '../installations/process';
import { API_KEY } from '../installations/lettermill';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;

/** Names of the topics and, by collection, of the indexes, except for those of `_id`, which every collection has. */
async function topicsAndIndexes(namespace: string): Promise<string[]> {
  const admin = new Kafka({ brokers: KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const connection = await createConnection(MONGODB_URI!, { dbName: namespace }).asPromise();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${namespace}-`));
    const collections = await connection.db!.listCollections().toArray();
    const indexes = collections.map(async ({ name }) => {
      const all = await connection.db!.collection(name).indexes();
      return all.filter((index) => index.name !== '_id_').map((index) => `${name} ${index.name}`);
    });
    return [...topics, ...(await Promise.all(indexes)).flat()].sort();
  } finally {
    await Promise.all([admin.disconnect(), connection.close()]);
  }
}

if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: init needs KAFKA_BROKERS and MONGODB_URI', () => expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy());
} else {
  describe('init', () => {
    it('creates every topic and index that the services need, and changes nothing when run again', async () => {
      const cluster = await Cluster.create({ BOOTSTRAP_API_KEY: API_KEY });
      const database = new URL(MONGODB_URI);
      database.pathname = `/${cluster.namespace}`;
      const runInit = async () => {
        const command = [process.execPath, 'dist/scripts/image/start.js', 'init'];
        const own = { KAFKA_TOPIC_PREFIX: `${cluster.namespace}-`, KAFKA_PARTITIONS: '4', MONGODB_URI: database.href };
        return new Process(command, { ...process.env, ...own, LOG_LEVEL: 'warn' }).exitCode;
      };
      try {
        // Two at the same time.
        expect(await Promise.all([runInit(), runInit()])).toEqual([0, 0]);
        const made = await topicsAndIndexes(cluster.namespace);
        expect(made.length).toBeGreaterThan(20);
        await cluster.start();
        expect(await topicsAndIndexes(cluster.namespace)).toEqual(made);
        expect(await runInit()).toBe(0);
        expect(await topicsAndIndexes(cluster.namespace)).toEqual(made);
      } finally {
        await cluster.destroy();
      }
    }, 180_000);
  });
}

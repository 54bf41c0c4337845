import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { openMongo } from '../mongo.connection';
import { databaseOf } from '../mongo.migrations';

export type OpenDatabase = () => Promise<Connection>;

/**
 * A suite on the server of MONGODB_URI, in a database of its own that is dropped afterwards; `open` empties it and
 * keeps its indexes. Without a server, one test says that the suite was left out.
 */
export function describeWithMongo(name: string, suite: (open: OpenDatabase) => void): void {
  const uri = process.env.MONGODB_URI;
  describe(name, () => {
    if (!uri) {
      it('left out: MONGODB_URI is not set', () => expect(uri).toBeFalsy());
      return;
    }
    let connection: Connection;
    beforeAll(async () => {
      connection = await openMongo(uri, `lettermill_test_${randomUUID().slice(0, 8)}`);
    });
    afterAll(async () => {
      await connection.dropDatabase();
      await connection.destroy();
    });
    suite(async () => {
      const collections = await databaseOf(connection).collections();
      const emptied = collections.filter(({ collectionName }) => collectionName !== 'migrations');
      await Promise.all(emptied.map((collection) => collection.deleteMany({})));
      return connection;
    });
  });
}

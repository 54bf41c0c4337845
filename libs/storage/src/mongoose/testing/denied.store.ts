import type { Connection } from 'mongoose';
import { StoreUnavailable } from '../../faults';
import { openMongo } from '../mongo.connection';
import { refusingServer, type RefusingServer } from './refusing.server';

/** A call of each method of a port; false if the adapter calls no server for it. */
type CallsOf<Store> = { [Method in keyof Store]: ((store: Store) => unknown) | false };

/**
 * Every method of a store, on a server that has begun to refuse all calls. Only `StoreUnavailable` makes callers try again: after the
 * driver's own error, each event would become a dead letter.
 */
export function describeDenied<Store>(
  name: string,
  make: (connection: Connection) => Store,
  calls: CallsOf<Store>,
): void {
  describe(`${name} on a server that refuses all calls`, () => {
    let server: RefusingServer;
    let connection: Connection;
    beforeAll(async () => {
      server = await refusingServer({ code: 13, codeName: 'Unauthorized' });
      connection = await openMongo(server.uri);
    });
    afterAll(async () => {
      await connection.destroy();
      server.close();
    });

    const methods = Object.entries(calls) as [string, CallsOf<Store>[keyof Store]][];
    it.each(methods.filter(([, call]) => call))('is unavailable: %s', async (_method, call) => {
      const called = async () => call && (await call(make(connection)));
      await expect(called()).rejects.toBeInstanceOf(StoreUnavailable);
    });
  });
}

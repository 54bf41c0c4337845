import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import type { Connection } from 'mongoose';
import { StoreFault, StoreUnavailable } from '../faults';
import { bulkWrite } from './mongo.bulk';
import { checkMongo, isMongoEmpty, openMongo } from './mongo.connection';
import { withStoreFaults } from './mongo.faults';
import { databaseOf, migrateMongo, type MongoMigration } from './mongo.migrations';
import { modelOf } from './mongo.model';
import { describeWithMongo } from './testing/mongo';

describe('a connection to MongoDB', () => {
  it('fails as unavailable within seconds where nobody listens', async () => {
    const error = await openMongo('mongodb://127.0.0.1:1/x').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StoreUnavailable);
  });

  it('fails with a hint at TLS when the server closes it at once', async () => {
    const server = createServer(
      (socket) => void socket.on('error', () => undefined).on('data', () => socket.destroy()),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = openMongo(`mongodb://127.0.0.1:${port}/x`);
    await expect(asked).rejects.toThrow(/closed; does this port want TLS \(tls=true in the URI\)\?$/);
    server.close();
  });

  it('fails for good when the URI is not one of MongoDB', async () => {
    await expect(openMongo('http://127.0.0.1/x')).rejects.toBeInstanceOf(StoreFault);
  });
});

/** A proxy to the server that can be cut and mended. */
async function openProxy(uri: string): Promise<{ port: number; cut(): void; mend(): Promise<void>; close(): void }> {
  const { hostname, port } = new URL(uri);
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const at = await listen(0);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { port: at, cut, mend: async () => void (await listen(at)), close: cut };
}

describeWithMongo('a connection to MongoDB that asks for less in its URI', (open) => {
  it('has each write in the journals of a majority all the same, reads what is there, and repeats what broke off', async () => {
    const { name } = await open();
    const uri = new URL(process.env.MONGODB_URI!);
    uri.search = 'w=0&journal=false&readConcernLevel=local&readPreference=secondary&retryWrites=false&retryReads=false';
    const connection = await openMongo(uri.href, name);
    const { writeConcern, readConcern, readPreference } = databaseOf(connection).collection('things');
    expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect([readConcern?.level, readPreference?.mode]).toEqual(['majority', 'primary']);
    const { options } = connection.getClient() as unknown as { options: object };
    expect(options).toMatchObject({ retryWrites: true, retryReads: true });
    await connection.destroy();
  });
});

describeWithMongo('a connection to MongoDB that breaks', (open) => {
  it('fails the calls made meanwhile, and recovers by itself', async () => {
    const { name } = await open();
    const way = await openProxy(process.env.MONGODB_URI!);
    const connection = await openMongo(`mongodb://127.0.0.1:${way.port}/?directConnection=true`, name);
    const things = () => databaseOf(connection).collection('things');
    const many = modelOf<{ _id: string }>(connection, 'many', { _id: String });
    const inBulk = (_id: string) => bulkWrite(many, [{ insertOne: { document: { _id } } }]);
    await withStoreFaults(things().insertOne({ n: 1 }));
    await inBulk('1');
    const underWay = inBulk('2');
    way.cut();
    await expect(underWay).rejects.toMatchObject({ retryable: true });
    await expect(withStoreFaults(things().insertOne({ n: 2 }))).rejects.toMatchObject({ retryable: true });
    await expect(inBulk('3')).rejects.toMatchObject({ retryable: true });
    await expect(checkMongo(connection)).rejects.toBeInstanceOf(StoreUnavailable);
    await way.mend();
    await withStoreFaults(things().insertOne({ n: 3 }));
    await checkMongo(connection);
    await connection.destroy();
    way.close();
  });
});

describeWithMongo('calls to MongoDB', (open) => {
  interface Thing {
    _id: string;
    address: string;
  }
  const thingsOn = (connection: Connection) =>
    modelOf<Thing>(connection, 'things', { _id: String, address: { type: String, required: true } });

  it('tell a defect from an unavailable server, and report none of the data to be stored', async () => {
    const things = thingsOn(await open());
    await things.create({ _id: '1', address: 'ada@x.org' });
    const twice = await withStoreFaults(things.create({ _id: '1', address: 'ada@x.org' })).catch((e: Error) => e);
    expect(twice).toBeInstanceOf(StoreFault);
    expect((twice as Error).message).not.toContain('ada');
    const wrong = { _id: '2', address: { of: 'ada' } } as unknown as Thing;
    const refused = await withStoreFaults(things.create(wrong)).catch((e: Error) => e);
    expect(refused).toMatchObject({ code: 'store_fault', message: 'ValidationError at address' });
    await expect(withStoreFaults(things.find({ unknown: 1 } as object).exec())).rejects.toBeInstanceOf(StoreFault);
  });
});

describeWithMongo('a database of MongoDB', (open) => {
  it('is empty until it has a collection', async () => {
    const { name } = await open();
    const connection = await openMongo(process.env.MONGODB_URI!, `${name}_new`);
    expect(await isMongoEmpty(connection)).toBe(true);
    await migrateMongo(connection, 'moved', [{ name: '1' }]);
    expect(await isMongoEmpty(connection)).toBe(false);
    await connection.dropDatabase();
    await connection.destroy();
  });
});

describeWithMongo('migrations of MongoDB', (open) => {
  const key = { name: 'things_name', key: { name: 1 as const }, unique: true };
  const first: MongoMigration = { name: '1', indexes: { moved: [key] } };

  it('can be run by several processes at once, and again', async () => {
    const connection = await open();
    await Promise.all(Array.from({ length: 5 }, () => migrateMongo(connection, 'moved', [first])));
    await migrateMongo(connection, 'moved', [first]);
    const names = (await databaseOf(connection).collection('moved').indexes()).map(({ name }) => name);
    expect(names.sort()).toEqual(['_id_', 'things_name']);
    expect(await databaseOf(connection).collection('migrations').countDocuments({ feature: 'moved' })).toBe(1);
  });

  it('go on after an interrupted one, in order, each once', async () => {
    const connection = await open();
    const done: string[] = [];
    const step = (name: string, fails = false): MongoMigration => ({
      name,
      apply: async () => {
        if (fails) throw new Error('broke off');
        done.push(name);
      },
    });
    await expect(migrateMongo(connection, 'steps', [step('a'), step('b', true)])).rejects.toThrow('broke off');
    await migrateMongo(connection, 'steps', [step('a'), step('b'), step('c')]);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it("are logged for an older version's store, but not for one that another process is making", async () => {
    const connection = await open();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const [a, b, c] = ['a', 'b', 'c'].map((name): MongoMigration => ({ name }));
    await migrateMongo(connection, 'logged', [a!]);
    await migrateMongo(connection, 'logged', [a!, b!]);
    expect(warn).not.toHaveBeenCalled();
    const notes = databaseOf(connection).collection('migrations');
    await notes.updateMany({ feature: 'logged' }, { $set: { applied_at: new Date(Date.now() - 3_600_000) } });
    await migrateMongo(connection, 'logged', [a!, b!, c!]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('(logged c)')]]);
    warn.mockRestore();
  });

  it('are refused before anything is written if the store is of a version whose migrations are not known', async () => {
    const connection = await open();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await migrateMongo(connection, 'old', [{ name: '001-old' }]);
    const notes = databaseOf(connection).collection('migrations');
    await notes.updateMany({ feature: 'old' }, { $set: { applied_at: new Date(0) } });
    const apply = jest.fn();
    await expect(migrateMongo(connection, 'old', [{ name: '1-old', apply }])).rejects.toMatchObject({
      code: 'data_unreadable',
      message: expect.stringMatching(
        /^the store of `old` .* cannot read \(001-old\): start that version, or set MONGODB_URI/,
      ),
    });
    expect([apply.mock.calls, warn.mock.calls]).toEqual([[], []]);
    expect(await notes.countDocuments({ feature: 'old' })).toBe(1);
    warn.mockRestore();
  });

  it('of a newer version are reported, and do not keep this one from starting', async () => {
    const connection = await open();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const [a, b] = ['a', 'b'].map((name): MongoMigration => ({ name }));
    await migrateMongo(connection, 'newer', [a!, b!]);
    await migrateMongo(connection, 'newer', [a!]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/`newer` .* by a newer version \(b\)/)]]);
    warn.mockRestore();
  });
});

import type { Connection } from 'mongoose';
import { StoreAddressFault, StoreFault, StoreUnavailable } from '../faults';
import { checkMongo, openMongo } from './mongo.connection';
import { openingFaultOf, refusedOperationsIn, storeFaultOf, withStoreFaults, type MongoError } from './mongo.faults';
import { databaseOf } from './mongo.migrations';
import { refusingServer, type RefusingServer } from './testing/refusing.server';

/** Code and text of the fault that an error of the server becomes. */
function loggedFault(code: number): string[] {
  const error = new Error('what the server says of ada@example.com');
  const fault = storeFaultOf(Object.assign(error, { name: 'MongoServerError', code })) as StoreFault;
  return [fault.code, fault.message];
}

describe('an error of MongoDB', () => {
  it.each([
    [10107, 'NotWritablePrimary'],
    [43, 'CursorNotFound'],
    [133, 'FailedToSatisfyReadPreference'],
    [237, 'CursorKilled'],
    [365, 'TemporarilyUnavailable'],
    [371, 'UserWritesBlocked'],
    [11601, 'Interrupted'],
    [13, 'Unauthorized'],
    [18, 'AuthenticationFailed'],
    [391, 'ReauthenticationRequired'],
    [8000, 'AtlasError'],
  ])('that is not caused by the data is retryable: %i %s', (code) => {
    expect(loggedFault(code)).toEqual(['store_unavailable', `MongoServerError ${code}`]);
  });

  it.each([
    [2, 'BadValue'],
    [121, 'DocumentValidationFailure'],
    [10334, 'BSONObjectTooLarge'],
    [11000, 'DuplicateKey'],
  ])('that a retry would meet again is a defect: %i %s', (code) => {
    expect(loggedFault(code)).toEqual(['store_fault', `MongoServerError ${code}`]);
  });
});

describe('an error of a bulk write to MongoDB', () => {
  const bulkError = (...codes: number[]): MongoError =>
    Object.assign(new Error('of the first'), {
      name: 'MongoBulkWriteError',
      code: codes[0]!,
      writeErrors: codes.map((code, index) => ({ index, code })),
    });

  it('names the operations that were refused, if nothing else went wrong', () => {
    expect(refusedOperationsIn(bulkError(11000, 11000))).toEqual(new Set([0, 1]));
    expect(refusedOperationsIn(bulkError(11000, 112))).toBeUndefined();
    expect(refusedOperationsIn(bulkError())).toBeUndefined();
  });

  it('is as bad as what went wrong besides keys that were taken', () => {
    expect(storeFaultOf(bulkError(11000, 10107))).toEqual(new StoreUnavailable('MongoBulkWriteError 10107'));
    expect(storeFaultOf(bulkError(11000, 121))).toEqual(new StoreFault('MongoBulkWriteError 121'));
  });
});

describe('a MongoDB user who lost their rights', () => {
  let server: RefusingServer;
  beforeAll(async () => {
    server = await refusingServer({ code: 13, codeName: 'Unauthorized' });
  });
  afterAll(() => server.close());

  it('is reported as an unavailable store, by calls and by the check', async () => {
    const connection = await openMongo(server.uri);
    const adding = withStoreFaults(databaseOf(connection).collection('things').insertOne({ n: 1 }));
    await expect(adding).rejects.toMatchObject({ retryable: true, message: 'MongoServerError 13 Unauthorized' });
    const checked = await checkMongo(connection).catch((error: unknown) => error);
    expect(checked).toBeInstanceOf(StoreUnavailable);
    expect((checked as Error).message).toBe('MongoServerError 13 Unauthorized');
    await connection.destroy();
  });
});

describe('a server that took a connection and answers nothing', () => {
  afterEach(() => jest.useRealTimers());

  it('fails the check after three seconds, although a call waits longer', async () => {
    jest.useFakeTimers();
    const findOne = () => new Promise(() => undefined);
    const connection = { db: { collection: () => ({ findOne }) } } as unknown as Connection;
    const checked = checkMongo(connection).catch((error: unknown) => error);
    jest.advanceTimersByTime(3_000);
    expect(await checked).toBeInstanceOf(StoreUnavailable);
  });
});

describe('a password that MongoDB refuses', () => {
  it('ends the start, with the error code, its name, and what of the address may be wrong', async () => {
    const server = await refusingServer({ code: 18, codeName: 'AuthenticationFailed' });
    const uri = server.uri.replace('mongodb://', 'mongodb://ada:a-password@');
    const error = await openMongo(uri).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StoreFault);
    expect((error as Error).message).toBe(
      'MongoServerError 18 AuthenticationFailed: MONGODB_URI has the wrong user, password or authSource (the database that the user was made in)',
    );
    server.close();
  });
});

describe('a replica set that no server at the address belongs to', () => {
  it('is reported as unavailable, so that the start waits for it', async () => {
    const server = await refusingServer({ code: 13, codeName: 'Unauthorized' });
    const error = await openMongo(server.uri.replace('directConnection=true', 'replicaSet=rs9')).catch(
      (caught: unknown) => caught,
    );
    server.close();
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).message).toMatch(/no server there belongs to the replica set rs9$/);
  });
});

describe('a MongoDB address that cannot be used', () => {
  const faultOf = (uri: string) => openMongo(uri).catch((error: unknown) => error);

  it.each([
    ['mongodb://ada:a-secret@word@m/db', "can't be used: Invalid connection string"],
    ['mongodb://ada:a-secret/word@m/db', "can't be used: Password contains unescaped characters"],
    ['mongodb://m/db?colour=red', "can't be used: option colour is not supported"],
  ])('ends the start with an error without the password: %s', async (uri, told) => {
    const error = await faultOf(uri);
    expect(error).toBeInstanceOf(StoreAddressFault);
    expect((error as Error).message).toContain(told);
    expect((error as Error).message).not.toContain('secret');
  });

  it('is reported as unavailable when its host name does not resolve', () => {
    const unknown = Object.assign(new Error('querySrv ENOTFOUND _mongodb._tcp.db.example'), {
      code: 'ENOTFOUND',
      syscall: 'querySrv',
    });
    const fault = openingFaultOf(unknown);
    expect(fault).toBeInstanceOf(StoreUnavailable);
    expect(fault.message).toBe('querySrv ENOTFOUND _mongodb._tcp.db.example');
  });
});

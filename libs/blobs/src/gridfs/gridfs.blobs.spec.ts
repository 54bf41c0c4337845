import { databaseOf, type MongoConnection, type MongoDriver } from '@lettermill/storage';
import { describeDenied } from '../../../storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../storage/src/mongoose/testing/mongo';
import { planOf } from '../../../storage/src/mongoose/testing/plan';
import { blobStoreContract } from '../blob.contract';
import type { BlobStore } from '../blob.port';
import { GridFsBlobs } from './gridfs.blobs';
import { CHUNKS_COLLECTION, FILES_COLLECTION } from './gridfs.layout';

describeWithMongo('blobs in GridFS', (open) => {
  let connection: MongoConnection;
  async function make(): Promise<GridFsBlobs> {
    connection = await open();
    const store = new GridFsBlobs(connection);
    await store.migrate();
    return store;
  }
  const count = (collection: string) => databaseOf(connection).collection(collection).countDocuments();
  const files = () => databaseOf(connection).collection(FILES_COLLECTION);
  /** Where the driver's methods are, to be spied on. */
  const filesPrototype = () => Object.getPrototypeOf(files()) as MongoDriver.Collection;
  const makeOld = () => files().updateMany({}, { $set: { uploadDate: new Date(0) } });
  const countLeft = async () => [await count(FILES_COLLECTION), await count(CHUNKS_COLLECTION)];
  afterEach(() => jest.restoreAllMocks());
  async function* parts(...sizes: number[]) {
    for (const size of sizes) yield Buffer.alloc(size, size);
  }

  blobStoreContract(async () => {
    const store = await make();
    return { store, reopen: () => Promise.resolve(new GridFsBlobs(connection)), close: () => store.close() };
  });

  it('get a new age when they are put again, so that a sweep spares them', async () => {
    const store = await make();
    const bytes = Buffer.from('again');
    await store.put('a', bytes);
    await makeOld();
    await store.put('a', bytes);
    expect(await store.sweep(Date.now() - 60_000)).toBe(0);
    expect(await countLeft()).toEqual([1, 1]);
  });

  it.each(['before', 'after'])('stay when they are put again %s a sweep has marked them', async (moment) => {
    const store = await make();
    const bytes = Buffer.from('again');
    const { blob } = await store.put('a', bytes);
    await makeOld();
    const { updateMany } = filesPrototype();
    jest.spyOn(filesPrototype(), 'updateMany').mockImplementationOnce(async function (this: never, ...marks) {
      if (moment === 'before') await store.put('a', bytes);
      const marked = await updateMany.apply(this, marks);
      if (moment === 'after') await store.put('a', bytes);
      return marked;
    });
    await store.sweep(Date.now() - 60_000);
    expect(await store.get('a', blob)).toEqual(bytes);
    expect(await countLeft()).toEqual([1, 1]);
  });

  it('are named all the same if the blob that had the name is swept at that moment', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(10));
    jest.spyOn(filesPrototype(), 'updateOne').mockRejectedValueOnce(Object.assign(new Error('taken'), { code: 11000 }));
    await draft.commit();
    expect(await store.get('a', draft.blob)).toEqual(Buffer.alloc(10, 10));
  });

  it('are read in the order of their chunks, and from another file of this content while one is being removed', async () => {
    const store = await make();
    const bytes = Buffer.concat([Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)]);
    const { blob } = await store.put('a', bytes);
    const chunks = databaseOf(connection).collection(CHUNKS_COLLECTION);
    const first = await chunks.findOneAndDelete({ n: 0 });
    await chunks.insertOne(first!);
    expect((await store.get('a', blob))?.equals(bytes)).toBe(true);
    await chunks.deleteOne({ n: 0 });
    await store.put('a', bytes, 'forever');
    expect((await store.get('a', blob))?.equals(bytes)).toBe(true);
  });

  it('are stored again if a part of them is missing when they are put, or a draft becomes them', async () => {
    const store = await make();
    const { blob } = await store.put('a', Buffer.alloc(300_000, 44));
    const chunks = databaseOf(connection).collection(CHUNKS_COLLECTION);
    await chunks.deleteOne({ n: 1 });
    await store.put('a', Buffer.alloc(300_000, 44));
    expect((await store.get('a', blob))?.length).toBe(300_000);
    await chunks.deleteOne({ n: 0 });
    await (await store.draft('a', [Buffer.alloc(300_000, 44)] as never)).commit();
    expect((await store.get('a', blob))?.length).toBe(300_000);
    expect(await countLeft()).toEqual([1, 2]);
  });

  it('leave nothing of drafts that failed, were discarded or have the content of an existing blob', async () => {
    const store = await make();
    const failing = async function* () {
      yield Buffer.alloc(600_000);
      throw new Error('gone');
    };
    await expect(store.draft('a', failing())).rejects.toThrow('gone');
    await (await store.draft('a', parts(300_000))).discard();
    const drafts = await Promise.all([1, 2].map(() => store.draft('a', parts(300_000, 300_000))));
    await Promise.all(drafts.map((draft) => draft.commit()));
    expect(await countLeft()).toEqual([1, 3]);
    expect(await store.sweep(Date.now() + 60_000)).toBe(1);
    expect(await countLeft()).toEqual([0, 0]);
  });

  it('are put, named and discarded a few at a time, however many a request has: other calls need connections, too', async () => {
    const store = await make();
    let [running, most] = [0, 0];
    for (const name of ['updateOne', 'findOneAndUpdate'] as const) {
      const update = filesPrototype()[name] as (...args: unknown[]) => Promise<unknown>;
      jest.spyOn(filesPrototype(), name).mockImplementation(async function (this: never, ...args: unknown[]) {
        most = Math.max(most, (running += 1));
        return update.apply(this, args).finally(() => (running -= 1)) as never;
      });
    }
    const each = Array.from({ length: 60 }, (_, n) => n);
    const put = () => Promise.all(each.map((n) => store.put('a', Buffer.alloc(10, n))));
    await put();
    await put();
    const drafts = await Promise.all(each.map((n) => store.draft('b', parts(n))));
    await Promise.all(drafts.map((draft, n) => (n % 2 ? draft.commit() : draft.discard())));
    expect(most).toBeLessThanOrEqual(16);
    expect(await count(FILES_COLLECTION)).toBe(90);
  });

  it('retry the commit of a draft after a write conflict', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(300_000));
    const conflict = Object.assign(new Error('a deadlock'), { code: 16_908_292 });
    const update = jest.spyOn(filesPrototype(), 'updateOne').mockRejectedValueOnce(conflict);
    await draft.commit();
    expect(update).toHaveBeenCalledTimes(2);
    expect((await store.get('a', draft.blob))?.length).toBe(300_000);
  });

  it('stay when the answer to their commit was lost and the draft is discarded: others may refer to them', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(300_000));
    const { updateOne } = filesPrototype();
    jest.spyOn(filesPrototype(), 'updateOne').mockImplementationOnce(async function (this: never, ...named) {
      await updateOne.apply(this, named);
      throw Object.assign(new Error('the answer was lost'), { name: 'MongoNetworkError' });
    });
    await expect(draft.commit()).rejects.toMatchObject({ retryable: true });
    await draft.discard();
    expect((await store.get('a', draft.blob))?.length).toBe(300_000);
    expect(await countLeft()).toEqual([1, 2]);
  });

  it('are not made of a draft that was discarded before its commit', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(10));
    await draft.discard();
    await expect(draft.commit()).rejects.toThrow('the draft is gone');
    expect(await store.get('a', draft.blob)).toBeUndefined();
  });

  it('are not made of a draft whose removal has begun, as a commit that is late might', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(10));
    const { deleteMany } = filesPrototype();
    jest.spyOn(filesPrototype(), 'deleteMany').mockImplementationOnce(async function (this: never, ...chunks) {
      await expect(draft.commit()).rejects.toThrow('the draft is gone');
      return deleteMany.apply(this, chunks);
    });
    await draft.discard();
    expect(await countLeft()).toEqual([0, 0]);
  });

  it('lose old drafts of dead processes, but not the drafts of live ones', async () => {
    const store = await make();
    await store.draft('a', parts(10));
    await store.discardDrafts();
    expect(await countLeft()).toEqual([1, 1]);
    await makeOld();
    await store.sweep(null);
    expect(await countLeft()).toEqual([0, 0]);
  });

  it('are swept completely when an earlier removal was interrupted', async () => {
    const store = await make();
    const { blob } = await store.put('a', Buffer.from('half gone'));
    await databaseOf(connection).collection(CHUNKS_COLLECTION).deleteMany({});
    expect(await store.get('a', blob)).toBeUndefined();
    expect(await store.sweep(Date.now() + 60_000)).toBe(1);
    expect(await countLeft()).toEqual([0, 0]);
  });

  it('are read by GridFS itself', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(1_000, 300_000, 90_000, 300_000));
    await draft.commit();
    const { blob } = draft;
    const bucket = new connection.base.mongo.GridFSBucket(databaseOf(connection), { bucketName: 'blobs' });
    const [file] = await bucket.find({}).toArray();
    const read: Buffer[] = [];
    for await (const part of bucket.openDownloadStream(file!._id)) read.push(part as Buffer);
    expect(Buffer.concat(read).equals((await store.get('a', blob))!)).toBe(true);
  });
});

// In a database of its own: a small collection that has changed a lot may be scanned, whatever indexes it has.
describeWithMongo('a new store of blobs in GridFS', (open) => {
  it('finds blobs, and old ones, by their indexes', async () => {
    const connection = await open();
    const store = new GridFsBlobs(connection);
    await store.migrate();
    const files = databaseOf(connection).collection(FILES_COLLECTION);
    const find = jest.spyOn(Object.getPrototypeOf(files) as MongoDriver.Collection, 'find');
    await store.get('a', 'b');
    await store.sweep(1);
    const filters = find.mock.calls.map(([filter]) => filter as object);
    jest.restoreAllMocks();
    const plans = await Promise.all(filters.map(async (filter) => planOf(await files.find(filter).explain())));
    const swept = Array<string[]>(3).fill(['blobs_age']);
    expect(plans.map(({ indexes }) => indexes)).toEqual([['blobs_name'], ...swept]);
  });
});

describeDenied<BlobStore>('GridFsBlobs', (connection) => new GridFsBlobs(connection), {
  put: (store) => store.put('a', Buffer.from('x')),
  draft: (store) => store.draft('a', [Buffer.from('x')] as never),
  get: (store) => store.get('a', 'b'),
  sweep: (store) => store.sweep(1),
  discardDrafts: (store) => store.discardDrafts(),
  check: (store) => store.check(),
  close: false,
});

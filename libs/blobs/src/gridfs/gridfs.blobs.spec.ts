import { databaseOf, type MongoConnection, type MongoDriver } from '@lettermill/storage';
import { describeWithMongo } from '../../../storage/src/mongoose/testing/mongo';
import { describeBlobStore } from '../blob.contract';
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
  const countLeft = async () => [await count(FILES_COLLECTION), await count(CHUNKS_COLLECTION)];
  async function* parts(...sizes: number[]) {
    for (const size of sizes) yield Buffer.alloc(size, size);
  }

  describeBlobStore('gridfs', async () => {
    const store = await make();
    return { store, reopen: () => Promise.resolve(new GridFsBlobs(connection)), close: () => store.close() };
  });

  it('get a new age when they are put again, so that a sweep spares them', async () => {
    const store = await make();
    const bytes = Buffer.from('again');
    await store.put('a', bytes);
    await databaseOf(connection)
      .collection(FILES_COLLECTION)
      .updateMany({}, { $set: { uploadDate: new Date(0) } });
    await store.put('a', bytes);
    expect(await store.sweep(Date.now() - 60_000)).toBe(0);
    expect(await countLeft()).toEqual([1, 1]);
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

  it('retry the commit of a draft after a write conflict', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(300_000));
    const collection = Object.getPrototypeOf(databaseOf(connection).collection(FILES_COLLECTION)) as {
      updateOne(): Promise<unknown>;
    };
    const conflict = Object.assign(new Error('a deadlock'), { code: 16_908_292 });
    const update = jest.spyOn(collection, 'updateOne').mockRejectedValueOnce(conflict);
    await draft.commit();
    expect(update).toHaveBeenCalledTimes(2);
    update.mockRestore();
    expect((await store.get('a', draft.blob))?.length).toBe(300_000);
  });

  it('stay when the answer to their commit was lost and the draft is discarded: others may refer to them', async () => {
    const store = await make();
    const bytes = Buffer.alloc(300_000, 7);
    const draft = await store.draft('a', parts(300_000));
    type Update = MongoDriver.Collection['updateOne'];
    const collection = Object.getPrototypeOf(databaseOf(connection).collection(FILES_COLLECTION)) as {
      updateOne: Update;
    };
    const { updateOne } = collection;
    const lost = jest.spyOn(collection, 'updateOne').mockImplementationOnce(async function (this: never, ...named) {
      await updateOne.apply(this, named as never);
      throw Object.assign(new Error('the answer was lost'), { name: 'MongoNetworkError' });
    });
    await expect(draft.commit()).rejects.toMatchObject({ retryable: true });
    lost.mockRestore();
    await draft.discard();
    const { blob } = await store.put('a', bytes.fill(300_000 % 256));
    expect(blob).toBe(draft.blob);
    expect((await store.get('a', blob))?.equals(bytes)).toBe(true);
    expect(await countLeft()).toEqual([1, 2]);
  });

  it('are not made of a draft that was discarded before its commit', async () => {
    const store = await make();
    const draft = await store.draft('a', parts(10));
    await draft.discard();
    await expect(draft.commit()).rejects.toThrow('the draft is gone');
    expect(await store.get('a', draft.blob)).toBeUndefined();
  });

  it('lose old drafts of dead processes, but not the drafts of live ones', async () => {
    const store = await make();
    await store.draft('a', parts(10));
    await store.discardDrafts();
    expect(await countLeft()).toEqual([1, 1]);
    const files = databaseOf(connection).collection(FILES_COLLECTION);
    await files.updateMany({}, { $set: { uploadDate: new Date(0) } });
    await store.discardDrafts();
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
    const { blob } = await store.put('a', Buffer.alloc(700_000, 'x'));
    const bucket = new connection.base.mongo.GridFSBucket(databaseOf(connection), { bucketName: 'blobs' });
    const [file] = await bucket.find({}).toArray();
    const read: Buffer[] = [];
    for await (const part of bucket.openDownloadStream(file!._id)) read.push(part as Buffer);
    expect(Buffer.concat(read).equals((await store.get('a', blob))!)).toBe(true);
  });
});

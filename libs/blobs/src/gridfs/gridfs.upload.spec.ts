import mongoose from 'mongoose';
import type { MongoConnection } from '@lettermill/storage';
import { CHUNKS_COLLECTION } from './gridfs.layout';
import { GridFiles } from './gridfs.upload';

/** A server that takes a turn of the event loop for each call, and counts how many calls with content are in progress. */
class SlowServer {
  pending = 0;
  maxPending = 0;
  private readonly stored = new Map<string, { data: mongoose.mongo.Binary }[]>();

  readonly connection = {
    base: mongoose,
    db: {
      collection: (name: string) => ({
        insertOne: () => Promise.resolve(),
        insertMany: (chunks: { files_id: object; data: mongoose.mongo.Binary }[]) =>
          this.busy(() => {
            expect(name).toBe(CHUNKS_COLLECTION);
            for (const chunk of chunks) {
              const id = String(chunk.files_id);
              this.stored.set(id, [...(this.stored.get(id) ?? []), chunk]);
            }
          }),
        find: ({ files_id }: { files_id: { $eq: object } }) => ({
          sort: () => ({ toArray: () => this.busy(() => this.stored.get(String(files_id.$eq)) ?? []) }),
        }),
      }),
    },
  } as unknown as MongoConnection;

  private async busy<T>(work: () => T): Promise<T> {
    this.pending += 1;
    this.maxPending = Math.max(this.maxPending, this.pending);
    await new Promise((resolve) => setImmediate(resolve));
    this.pending -= 1;
    return work();
  }
}

describe('GridFiles', () => {
  it('writes and reads all contents whole, with a bounded number of calls in progress for any number of uploads', async () => {
    const server = new SlowServer();
    const grid = new GridFiles(server.connection);
    const bytes = (n: number) => Buffer.alloc(5_000_000 + n, n);
    const contents = Array.from({ length: 30 }, (_, n) => n);
    async function* once(content: Buffer) {
      yield content;
    }
    const uploads = await Promise.all(contents.map((n) => grid.upload(once(bytes(n)))));
    const read = await Promise.all(uploads.map(({ id, size }) => grid.read({ _id: id, length: size })));
    expect(read.every((content, n) => content?.equals(bytes(n)))).toBe(true);
    expect(server.maxPending).toBe(8);
  });
});

import { createHash } from 'node:crypto';
import { Slots } from '@lettermill/concurrency';
import { databaseOf, withStoreFaults, type MongoConnection, type MongoDriver } from '@lettermill/storage';
import type { StoredBlob } from '../blob.port';
import { CHUNK_BYTES, CHUNKS, FILES, type ChunkDocument, type FileDocument } from './gridfs.layout';

type ObjectId = MongoDriver.ObjectId;

/** Chunks that go in one write. */
const AT_ONCE = 16;
/**
 * Reads and writes of contents at a time. Each holds a connection for as long as the server needs for some megabytes;
 * if every upload held one, other calls would wait too long for theirs.
 */
const CONTENTS_AT_ONCE = 8;

/** Content that is stored but has no name yet. */
export interface Upload extends StoredBlob {
  id: ObjectId;
}

/** Cuts a stream into the pieces that GridFS keeps; all but the last are full. */
async function* pieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    const whole = Buffer.concat(waiting);
    let at = 0;
    for (; bytes - at >= CHUNK_BYTES; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES);
    waiting = [whole.subarray(at)];
    bytes -= at;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/**
 * Files and chunks as GridFS lays them out. GridFS' own stream writes a file after its chunks: a crash would leave
 * chunks that belong to no file.
 */
export class GridFiles {
  private readonly slots = new Slots(CONTENTS_AT_ONCE);

  constructor(private readonly connection: MongoConnection) {}

  get files(): MongoDriver.Collection<FileDocument> {
    return databaseOf(this.connection).collection<FileDocument>(FILES);
  }

  private get chunks(): MongoDriver.Collection<ChunkDocument> {
    return databaseOf(this.connection).collection<ChunkDocument>(CHUNKS);
  }

  /** Stores a stream as a draft. When it fails, the draft is removed, or is left to be removed as an old one. */
  async upload(source: AsyncIterable<Buffer>): Promise<Upload> {
    const id = new this.connection.base.Types.ObjectId();
    const draft: FileDocument = {
      ...{ _id: id, filename: id.toHexString(), length: 0, chunkSize: CHUNK_BYTES },
      ...{ uploadDate: new Date(), metadata: { state: 'draft' } },
    };
    await withStoreFaults(this.files.insertOne(draft));
    try {
      return { id, ...(await this.write(id, source)) };
    } catch (error) {
      await this.remove(id).catch(() => undefined);
      throw error;
    }
  }

  /** Undefined if a chunk is missing: the file is being removed. */
  async read({ _id, length }: Pick<FileDocument, '_id' | 'length'>): Promise<Buffer | undefined> {
    const chunks = this.chunks.find({ files_id: { $eq: _id } }).sort({ n: 1 });
    const found = await this.slots.run(() => withStoreFaults(chunks.toArray()));
    const bytes = Buffer.concat(found.map(({ data }) => data.value()));
    return bytes.length === length ? bytes : undefined;
  }

  /** Removes the chunks first: as long as the file exists, what is left of it can be found. */
  async remove(id: ObjectId): Promise<void> {
    await withStoreFaults(this.chunks.deleteMany({ files_id: { $eq: id } }));
    await withStoreFaults(this.files.deleteOne({ _id: { $eq: id } }));
  }

  private async write(id: ObjectId, source: AsyncIterable<Buffer>): Promise<StoredBlob> {
    const hash = createHash('sha256');
    let size = 0;
    let n = 0;
    let waiting: ChunkDocument[] = [];
    const flush = async () => {
      const full = waiting;
      waiting = [];
      if (full.length > 0) await this.slots.run(() => withStoreFaults(this.chunks.insertMany(full)));
    };
    for await (const piece of pieces(source)) {
      hash.update(piece);
      size += piece.length;
      waiting.push({ files_id: id, n, data: new this.connection.base.mongo.Binary(piece) });
      n += 1;
      if (waiting.length === AT_ONCE) await flush();
    }
    await flush();
    return { blob: hash.digest('hex'), size };
  }
}

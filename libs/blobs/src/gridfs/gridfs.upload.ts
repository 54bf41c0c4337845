import { createHash } from 'node:crypto';
import { Slots } from '@lettermill/concurrency';
import { databaseOf, withStoreFaults, type MongoConnection, type MongoDriver } from '@lettermill/storage';
import type { StoredBlob } from '../blob.port';
import {
  CHUNK_BYTES,
  CHUNKS_COLLECTION,
  FILES_COLLECTION,
  type ChunkDocument,
  type FileDocument,
} from './gridfs.layout';

type ObjectId = MongoDriver.ObjectId;

/** Chunks that go in one write. */
const CHUNKS_PER_WRITE = 16;
/**
 * Reads and writes of contents at a time. Each holds a connection for as long as the server needs for some megabytes;
 * if every upload held one, other calls would wait too long for theirs.
 */
const MAX_CONCURRENT_TRANSFERS = 8;

/** Content that is stored but has no name yet. */
export interface Upload extends StoredBlob {
  id: ObjectId;
}

/** Cuts a stream into the pieces that GridFS keeps; all but the last are full. */
async function* chunksOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  for await (const part of source) {
    buffered.push(part);
    bufferedBytes += part.length;
    if (bufferedBytes < CHUNK_BYTES) continue;
    const whole = Buffer.concat(buffered);
    let at = 0;
    for (; bufferedBytes - at >= CHUNK_BYTES; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES);
    buffered = [whole.subarray(at)];
    bufferedBytes -= at;
  }
  if (bufferedBytes > 0) yield Buffer.concat(buffered);
}

/**
 * Files and chunks as GridFS lays them out. GridFS' own stream writes a file after its chunks: a crash would leave
 * chunks that belong to no file.
 */
export class GridFiles {
  private readonly slots = new Slots(MAX_CONCURRENT_TRANSFERS);

  constructor(private readonly connection: MongoConnection) {}

  get files(): MongoDriver.Collection<FileDocument> {
    return databaseOf(this.connection).collection<FileDocument>(FILES_COLLECTION);
  }

  private get chunks(): MongoDriver.Collection<ChunkDocument> {
    return databaseOf(this.connection).collection<ChunkDocument>(CHUNKS_COLLECTION);
  }

  /** Stores a stream as a draft. When it fails, the draft is removed, or is left to be removed as an old one. */
  async upload(source: AsyncIterable<Buffer>): Promise<Upload> {
    const id = new this.connection.base.Types.ObjectId();
    const draft: FileDocument = {
      _id: id,
      filename: id.toHexString(),
      length: 0,
      chunkSize: CHUNK_BYTES,
      uploadDate: new Date(),
      metadata: { state: 'draft' },
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

  /** Whether none of its chunks is missing; counted in their index, as contents are large. */
  async isWhole({ _id, length, chunkSize }: Pick<FileDocument, '_id' | 'length' | 'chunkSize'>): Promise<boolean> {
    const chunks = await withStoreFaults(this.chunks.countDocuments({ files_id: { $eq: _id } }));
    return chunks === Math.ceil(length / chunkSize);
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
    let buffered: ChunkDocument[] = [];
    const flush = async () => {
      const full = buffered;
      buffered = [];
      if (full.length > 0) await this.slots.run(() => withStoreFaults(this.chunks.insertMany(full)));
    };
    for await (const piece of chunksOf(source)) {
      hash.update(piece);
      size += piece.length;
      buffered.push({ files_id: id, n, data: new this.connection.base.mongo.Binary(piece) });
      n += 1;
      if (buffered.length === CHUNKS_PER_WRITE) await flush();
    }
    await flush();
    return { blob: hash.digest('hex'), size };
  }
}

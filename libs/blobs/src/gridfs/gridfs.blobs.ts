import { createHash } from 'node:crypto';
import { HOUR_MS, Slots } from '@lettermill/concurrency';
import {
  checkMongo,
  idOf,
  isConflict,
  isDuplicateKey,
  migrateMongo,
  storeFaultOf,
  withStoreFaults,
  type MongoConnection,
} from '@lettermill/storage';
import type { BlobDraft, BlobStore, BlobLifetime, StoredBlob } from '../blob.port';
import { BLOB_MIGRATIONS } from './gridfs.layout';
import { GridFiles, type Upload } from './gridfs.upload';

/** Milliseconds, longer than any request takes: a draft that is older was left behind by its process. */
const MAX_DRAFT_AGE_MS = HOUR_MS;
const SWEEP_BATCH_SIZE = 500;
/**
 * Blobs that are put, named or discarded at a time. A request may have a thousand: if each of them held a connection, other calls would wait
 * too long for theirs.
 */
const MAX_CONCURRENT_WRITES = 16;
/** A file without a name that is to be removed. */
const GONE = { $set: { 'metadata.state': 'gone' as const }, $unset: { 'metadata.name': 1 as const } };
const LIFETIMES: BlobLifetime[] = ['retention', 'forever'];

type FileFilter = Parameters<GridFiles['files']['find']>[0] & object;

const blobName = (keep: BlobLifetime, accountId: string, blob: string): string => idOf(accountId, keep, blob);

const draftFilter = (id: Upload['id']) => ({ _id: { $eq: id }, 'metadata.state': { $eq: 'draft' as const } });

async function* streamOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/**
 * Blobs in GridFS of MongoDB. Content is stored as a draft and gets its name in one write when it is whole, so that a name
 * always holds the whole content. A file's `uploadDate` is its age. Faults: `StoreUnavailable`.
 */
export class GridFsBlobs implements BlobStore {
  private readonly grid: GridFiles;
  private readonly writes = new Slots(MAX_CONCURRENT_WRITES);
  private readonly pendingWrites = new Map<string, Promise<void>>();

  constructor(private readonly connection: MongoConnection) {
    this.grid = new GridFiles(connection);
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'blobs', BLOB_MIGRATIONS);
  }

  async put(accountId: string, bytes: Buffer, keep: BlobLifetime = 'retention'): Promise<StoredBlob> {
    const blob = createHash('sha256').update(bytes).digest('hex');
    const name = blobName(keep, accountId, blob);
    // Puts of the same content, in one request or in several, share one write.
    let write = this.pendingWrites.get(name);
    if (!write) {
      write = this.writes
        .run(() => this.renewOrWrite(name, keep, bytes))
        .finally(() => this.pendingWrites.delete(name));
      this.pendingWrites.set(name, write);
    }
    await write;
    return { blob, size: bytes.length };
  }

  async draft(accountId: string, source: AsyncIterable<Buffer>): Promise<BlobDraft> {
    const upload = await this.grid.upload(source);
    let committed = false;
    const { id: _id, size: length } = upload;
    return {
      blob: upload.blob,
      size: upload.size,
      read: async () => {
        const bytes = committed ? undefined : await this.grid.read({ _id, length });
        if (!bytes) throw new Error('the draft is gone');
        return bytes;
      },
      commit: async () => {
        const name = blobName('retention', accountId, upload.blob);
        await this.writes.run(() => this.nameDraft(upload, name, 'retention'));
        committed = true;
      },
      // Requests discard their drafts in any case; after a commit, this needs no call to the server.
      discard: async () => {
        if (!committed) await this.writes.run(() => this.discardDraft(upload));
      },
    };
  }

  async get(accountId: string, blob: string): Promise<Buffer | undefined> {
    const names = LIFETIMES.map((keep) => blobName(keep, accountId, blob));
    const found = await withStoreFaults(this.grid.files.find({ 'metadata.name': { $in: names } }).toArray());
    for (const file of found) {
      const bytes = await this.grid.read(file);
      if (bytes) return bytes;
    }
    return undefined;
  }

  async sweep(before: number | null): Promise<number> {
    const swept = before === null ? 0 : await this.markOld(new Date(before));
    await this.removeAll({ 'metadata.state': { $eq: 'gone' } });
    await this.discardDrafts();
    return swept;
  }

  /** Removes old drafts only: younger ones may be those that other processes are writing. */
  async discardDrafts(): Promise<void> {
    const old = new Date(Date.now() - MAX_DRAFT_AGE_MS);
    await this.removeAll({ 'metadata.state': { $eq: 'draft' }, uploadDate: { $lt: old } });
  }

  check(): Promise<void> {
    return checkMongo(this.connection);
  }

  /** The connection belongs to whoever opened it. */
  async close(): Promise<void> {
    await Promise.allSettled(this.pendingWrites.values());
  }

  /** Takes their names from blobs that were last put before a time, so that they can be removed; returns how many. */
  private async markOld(before: Date): Promise<number> {
    const old = {
      'metadata.state': { $eq: 'kept' as const },
      'metadata.keep': { $eq: 'retention' as const },
      uploadDate: { $lt: before },
    };
    let marked = 0;
    for (;;) {
      const ids = await this.some(old);
      if (ids.length === 0) return marked;
      // Only while it is still old: a blob that was just put again keeps its name.
      const stillOld = { ...old, _id: { $in: ids } };
      marked += (await withStoreFaults(this.grid.files.updateMany(stillOld, GONE))).modifiedCount;
    }
  }

  private async renewOrWrite(name: string, keep: BlobLifetime, bytes: Buffer): Promise<void> {
    if (await this.renew(name)) return;
    const upload = await this.grid.upload(streamOf(bytes));
    await this.nameDraft(upload, name, keep);
  }

  /** False if there is no such blob, or not the whole of it: that one is removed, so that it can be stored again. */
  private async renew(name: string): Promise<boolean> {
    const named = { 'metadata.name': { $eq: name } };
    const now = { $set: { uploadDate: new Date() } };
    const projection = { length: 1, chunkSize: 1 };
    const found = await withStoreFaults(this.grid.files.findOneAndUpdate(named, now, { projection }));
    if (!found) return false;
    if (await this.grid.isWhole(found)) return true;
    await this.removeWhile({ _id: { $eq: found._id }, ...named }, found._id);
    return false;
  }

  /** Makes a draft the blob of that name. If the name is taken, its content is the same: its age is renewed and the draft is removed. */
  private async nameDraft({ id, size }: Upload, name: string, keep: BlobLifetime): Promise<void> {
    const kept = {
      filename: name,
      length: size,
      uploadDate: new Date(),
      'metadata.name': name,
      'metadata.keep': keep,
      'metadata.state': 'kept' as const,
    };
    for (;;) {
      try {
        const named = await this.grid.files.updateOne(draftFilter(id), { $set: kept });
        if (named.matchedCount === 0) throw new Error('the draft is gone');
        return;
      } catch (error) {
        if (isConflict(error)) continue;
        if (!isDuplicateKey(error)) throw storeFaultOf(error);
      }
      // If the blob was swept between the two steps, the name is free again.
      if (await this.renew(name)) return this.grid.remove(id);
    }
  }

  /** Removes it only while it is a draft: after a failed commit it may have its name all the same, and others may rely on it. */
  private discardDraft({ id }: Upload): Promise<void> {
    return this.removeWhile(draftFilter(id), id);
  }

  /** Removes a file if it matches at this moment; what becomes of it otherwise is up to others. */
  private async removeWhile(filter: FileFilter, id: Upload['id']): Promise<void> {
    const { matchedCount } = await withStoreFaults(this.grid.files.updateOne(filter, GONE));
    if (matchedCount === 1) await this.grid.remove(id);
  }

  private async removeAll(filter: FileFilter): Promise<void> {
    for (;;) {
      const ids = await this.some(filter);
      if (ids.length === 0) return;
      for (const id of ids) await this.grid.remove(id);
    }
  }

  /** Some of the files that match, by their ids. */
  private async some(filter: FileFilter): Promise<Upload['id'][]> {
    const found = this.grid.files.find(filter).project<{ _id: Upload['id'] }>({ _id: 1 }).limit(SWEEP_BATCH_SIZE);
    return (await withStoreFaults(found.toArray())).map(({ _id }) => _id);
  }
}

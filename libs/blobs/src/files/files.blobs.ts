import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readdir, readFile, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS } from '@lettermill/concurrency';
import type { BlobDraft, BlobStore, BlobLifetime, StoredBlob } from '../blob.port';
import { whileReading, whileWriting } from './files.faults';
import { DurableNames } from './files.folders';

const LIFETIME_FOLDERS: Record<BlobLifetime, string> = { retention: 'messages', forever: 'campaigns' };

const DRAFTS_FOLDER = 'drafts';

/** Account ids become folder names, encoded so that they cannot lead out of the folder. */
function folderOf(accountId: string): string {
  return Buffer.from(accountId).toString('base64url');
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/**
 * Milliseconds. The age of a file younger than this is renewed without a sync: a crash may lose the new age, but all
 * blobs are kept for longer than needed, by more than this.
 */
const UNSYNCED_RENEWAL_MS = DAY_MS;

/** Resolves to false if the file is not of this size: something else cut it off. Rejects with `ENOENT` if there is no such file. */
async function renewAge(path: string, wholeSize: number): Promise<boolean> {
  const now = new Date();
  const { mtimeMs, size } = await stat(path);
  if (size !== wholeSize) return false;
  if (now.getTime() - mtimeMs <= UNSYNCED_RENEWAL_MS) await utimes(path, now, now);
  else await renewDurably(path, now);
  return true;
}

async function renewDurably(path: string, now: Date): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.utimes(now, now);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes a file that was last put before `before`; resolves with whether it did. */
async function removeOld(path: string, before: number): Promise<boolean> {
  const { mtimeMs } = await stat(path);
  if (mtimeMs >= before) return false;
  await unlink(path);
  return true;
}

/**
 * Blobs as files: `<root>/<messages|campaigns>/<account>/<2 digits>/<sha256>`. Written under a temporary name, synced,
 * then renamed, so that a name always holds the whole content. A file's modification time is its age.
 */
export class FileBlobs implements BlobStore {
  /** The last operation on each path; the next one waits for it. */
  private readonly lastOperations = new Map<string, Promise<unknown>>();
  private readonly durableNames: DurableNames;

  constructor(private readonly root: string) {
    this.durableNames = new DurableNames(root);
  }

  async put(accountId: string, bytes: Buffer, keep: BlobLifetime = 'retention'): Promise<StoredBlob> {
    const blob = createHash('sha256').update(bytes).digest('hex');
    const path = this.pathOf(keep, accountId, blob);
    await this.inTurn(path, () => whileWriting(() => this.renewOrWrite(path, bytes)));
    return { blob, size: bytes.length };
  }

  async draft(accountId: string, source: AsyncIterable<Buffer>): Promise<BlobDraft> {
    const path = await whileWriting(() => this.newDraft());
    const hash = createHash('sha256');
    let size = 0;
    const file = await whileWriting(() => open(path, 'wx', 0o600));
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        await whileWriting(() => file.writeFile(chunk));
      }
      await whileWriting(() => file.datasync());
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    const blob = hash.digest('hex');
    return {
      blob,
      size,
      read: () => whileReading(() => readFile(path)),
      commit: () => {
        const kept = this.pathOf('retention', accountId, blob);
        return this.inTurn(kept, () => whileWriting(() => this.nameDraft(path, kept)));
      },
      discard: () => rm(path, { force: true }),
    };
  }

  async get(accountId: string, blob: string): Promise<Buffer | undefined> {
    for (const keep of ['retention', 'forever'] as const) {
      try {
        return await whileReading(() => readFile(this.pathOf(keep, accountId, blob)));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return undefined;
  }

  /** A file that cannot be removed does not keep the others: it rejects with that fault only when they are gone. */
  async sweep(before: number | null): Promise<number> {
    if (before === null) return 0;
    let removed = 0;
    let firstFault: unknown;
    for await (const path of this.filesIn(join(this.root, LIFETIME_FOLDERS.retention))) {
      try {
        if (await this.inTurn(path, () => removeOld(path, before))) removed += 1;
      } catch (error) {
        firstFault ??= error;
      }
    }
    if (firstFault) throw firstFault;
    return removed;
  }

  async discardDrafts(): Promise<void> {
    await rm(join(this.root, DRAFTS_FOLDER), { recursive: true, force: true });
  }

  async check(): Promise<void> {
    await this.durableNames.makeFolder(this.root);
    await access(this.root, constants.W_OK);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.lastOperations.values());
  }

  /** Runs the operations on a path one after the other: a blob that is put during its sweep would be removed, and believed to be kept. */
  private async inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.lastOperations.get(path) ?? Promise.resolve()).then(work, work);
    this.lastOperations.set(path, turn);
    try {
      return await turn;
    } finally {
      if (this.lastOperations.get(path) === turn) this.lastOperations.delete(path);
    }
  }

  private pathOf(keep: BlobLifetime, accountId: string, blob: string): string {
    return join(this.root, LIFETIME_FOLDERS[keep], folderOf(accountId), blob.slice(0, 2), blob);
  }

  private async renewOrWrite(path: string, bytes: Buffer): Promise<void> {
    try {
      if (await renewAge(path, bytes.length)) return await this.durableNames.makeDurable(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const draft = await this.newDraft();
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.datasync();
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await this.nameDraft(draft, path);
  }

  private async newDraft(): Promise<string> {
    const folder = join(this.root, DRAFTS_FOLDER);
    await this.durableNames.makeFolder(folder);
    return join(folder, randomUUID());
  }

  /** Gives a draft its name; resolves when the name is as durable as the bytes. */
  private async nameDraft(draft: string, path: string): Promise<void> {
    try {
      await this.durableNames.makeFolder(dirname(path));
      this.durableNames.forget(path);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await this.durableNames.makeDurable(path);
  }

  private async *filesIn(folder: string): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* this.filesIn(path);
      else yield path;
    }
  }
}

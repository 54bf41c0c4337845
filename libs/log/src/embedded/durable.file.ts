import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LogFailed, LogUnavailable } from '../log.port';

/** The part of `FileHandle` that is used here; a seam for tests in which the disk fails. */
export type WritableFile = Pick<FileHandle, 'writev' | 'datasync' | 'truncate' | 'close'>;
export type OpenFile = (path: string, flags: 'r+' | 'w') => Promise<WritableFile>;

export const openFile: OpenFile = (path, flags) => open(path, flags, 0o600);

const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT']);

const TOO_MANY_FILES_CODES = new Set(['EMFILE', 'ENFILE']);

/** Too many files are open: nothing was written, and the disk is not at fault. */
export function isTooManyFiles(error: unknown): boolean {
  return TOO_MANY_FILES_CODES.has(errorCodeOf(error));
}

function errorCodeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/** Makes names created, renamed or removed in a directory survive a crash. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Creates the directory if it does not exist, and syncs its name in either case: whoever created an existing one may
 * have failed, or died, before the sync.
 */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncDirectory(dirname(path));
}

async function writeAll(file: WritableFile, buffers: Buffer[], position: number): Promise<void> {
  let { bytesWritten } = await file.writev(buffers, position);
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  while (bytesWritten < total) {
    const rest = Buffer.concat(buffers).subarray(bytesWritten);
    bytesWritten += (await file.writev([rest], position + bytesWritten)).bytesWritten;
  }
}

async function writeDraft(openIt: OpenFile, path: string, buffers: Buffer[]): Promise<void> {
  const file = await openIt(path, 'w');
  try {
    await writeAll(file, buffers, 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Creates or replaces a file so that a crash leaves either all of it or what was there before. Rejects with `LogFailed`
 * when it is not known which of the two is there; with any other error nothing has changed.
 */
export async function writeFileAtomically(openIt: OpenFile, path: string, buffers: Buffer[]): Promise<void> {
  const draft = `${path}.tmp`;
  // Opened before anything is changed, as it fails when too many files are open.
  const directory = await open(dirname(path), 'r');
  try {
    await writeDraft(openIt, draft, buffers);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    await directory.close();
    throw error;
  }
  try {
    await rename(draft, path);
    await directory.sync();
  } catch (error) {
    throw new LogFailed(`${path} could not be moved into place (${errorCodeOf(error)})`, { cause: error });
  } finally {
    await directory.close();
  }
}

/**
 * A file that grows by synced appends. After a failed write or sync nobody knows what the disk holds (the kernel may
 * have dropped the dirty pages and report success the next time), so every further append rejects with `LogFailed`. The
 * one exception: no space was left and the file could be cut back to what had been synced; that append rejects with
 * `LogUnavailable`.
 */
export class DurableFile {
  private failure: LogFailed | undefined;

  private constructor(
    private readonly file: WritableFile,
    private readonly path: string,
    private syncedBytes: number,
  ) {}

  /**
   * Opens an existing file and cuts off what lies beyond `size`. `tail` holds the last bytes before `size` if they may
   * never have been synced: they are written again, because a failed sync may have left them in memory only, in pages
   * marked clean.
   */
  static async open(openIt: OpenFile, path: string, size: number, tail?: Buffer): Promise<DurableFile> {
    const file = await openIt(path, 'r+');
    try {
      await file.truncate(size);
      if (tail?.length) await writeAll(file, [tail], size - tail.length);
      await file.datasync();
      return new DurableFile(file, path, size);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  get size(): number {
    return this.syncedBytes;
  }

  /** Resolves when the buffers are on disk, one after the other. Only one call may run at a time. */
  async append(buffers: Buffer[]): Promise<void> {
    if (this.failure) throw this.failure;
    try {
      await writeAll(this.file, buffers, this.syncedBytes);
    } catch (error) {
      if (NO_SPACE_CODES.has(errorCodeOf(error)) && (await this.truncateToSynced())) {
        throw new LogUnavailable(`no space left for ${this.path}`, { cause: error, unwritten: true });
      }
      throw this.recordFailure('write', error);
    }
    try {
      await this.file.datasync();
    } catch (error) {
      throw this.recordFailure('sync', error);
    }
    this.syncedBytes += buffers.reduce((sum, { length }) => sum + length, 0);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async truncateToSynced(): Promise<boolean> {
    try {
      await this.file.truncate(this.syncedBytes);
      await this.file.datasync();
      return true;
    } catch {
      return false;
    }
  }

  private recordFailure(what: string, cause: unknown): LogFailed {
    this.failure = new LogFailed(`the ${what} of ${this.path} failed (${errorCodeOf(cause)})`, { cause });
    return this.failure;
  }
}

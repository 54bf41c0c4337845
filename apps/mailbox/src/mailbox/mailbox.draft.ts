import { open, unlink, type FileHandle } from 'node:fs/promises';

/** A mail below this size is a single write; of a larger one at most this many bytes are in memory. */
const FLUSH_BYTES = 128 * 1024;
/** How many bytes of the beginning are kept, to read the headers from. */
const HEAD_BYTES = 64 * 1024;

export class MailTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`The mail is larger than ${limit} bytes.`);
  }
}

export interface DraftOptions {
  path: string;
  /** Written before the content and not counted in `size`. */
  firstLine: Buffer;
  content: AsyncIterable<Buffer>;
  /** Bytes. */
  limit: number;
}

/** A mail on disk under a temporary name, synced, but not yet in the mailbox. */
export interface DraftFile {
  path: string;
  size: number;
  head: Buffer;
}

class DraftWriter {
  private file: FileHandle | undefined;
  private buffered: Buffer[] = [];
  private bufferedBytes = 0;

  constructor(private readonly path: string) {}

  async add(chunk: Buffer): Promise<void> {
    this.buffered.push(chunk);
    this.bufferedBytes += chunk.length;
    if (this.bufferedBytes >= FLUSH_BYTES) await this.flush();
  }

  async finish(): Promise<void> {
    await this.flush();
    await this.file!.datasync();
  }

  async close(): Promise<void> {
    this.buffered = [];
    await this.file?.close();
    this.file = undefined;
  }

  private async flush(): Promise<void> {
    this.file ??= await open(this.path, 'wx', 0o600);
    const bytes = this.buffered.length === 1 ? this.buffered[0]! : Buffer.concat(this.buffered);
    this.buffered = [];
    this.bufferedBytes = 0;
    await this.file.writeFile(bytes);
  }
}

async function copy(writer: DraftWriter, { firstLine, content, limit, path }: DraftOptions): Promise<DraftFile> {
  const head: Buffer[] = [];
  let size = 0;
  let failure: unknown;
  await writer.add(firstLine);
  for await (const chunk of content) {
    if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size));
    size += chunk.length;
    // After a failure the rest is still read: the sender reads the reply only after it has sent everything.
    if (size > limit) failure ??= new MailTooLarge(limit);
    if (failure === undefined) await writer.add(chunk).catch((error: unknown) => (failure = error));
  }
  if (failure !== undefined) throw failure;
  await writer.finish();
  return { path, size, head: Buffer.concat(head) };
}

/**
 * Writes a mail to disk while it arrives, and syncs it. Throws `MailTooLarge`, the error of the stream if the sender disconnects, or an
 * error of the file system; no file is left behind then.
 */
export async function writeDraft(options: DraftOptions): Promise<DraftFile> {
  const writer = new DraftWriter(options.path);
  try {
    const draft = await copy(writer, options);
    await writer.close();
    return draft;
  } catch (error) {
    await writer.close().catch(() => undefined);
    await unlink(options.path).catch(() => undefined);
    throw error;
  }
}

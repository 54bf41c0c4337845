import { open, readFile, type FileHandle } from 'node:fs/promises';

interface PendingEntry {
  line: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** Entries, one JSON line each. An appended entry is on disk when its promise resolves; concurrent appends share a sync. */
export class Journal<T> {
  private pending: PendingEntry[] = [];
  private writing = false;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async open<T>(path: string): Promise<Journal<T>> {
    return new Journal<T>(path, await open(path, 'a'));
  }

  append(entry: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject });
      if (!this.writing) void this.write();
    });
  }

  /** All entries on disk. */
  async read(): Promise<T[]> {
    const text = await readFile(this.path, 'utf8');
    return text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as T] : []));
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async write(): Promise<void> {
    this.writing = true;
    while (this.pending.length > 0) {
      const batch = this.pending.splice(0);
      try {
        await this.file.appendFile(batch.map(({ line }) => line).join(''));
        await this.file.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.writing = false;
  }
}

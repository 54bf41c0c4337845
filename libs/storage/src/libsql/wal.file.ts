import { closeSync, fdatasync, openSync } from 'node:fs';

/** The write-ahead log of a database, which is synced beside the connection that writes it. */
export class WalFile {
  private file: number | undefined;

  constructor(private readonly path: string) {}

  /** Resolves when what was committed before is on the disk. */
  async sync(): Promise<void> {
    // The file exists from the first transaction to the end of the connection.
    const file = (this.file ??= openSync(this.path, 'r'));
    await new Promise<void>((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())));
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

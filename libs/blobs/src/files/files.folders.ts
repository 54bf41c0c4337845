import { mkdir, open } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** So many names are remembered; a name that is forgotten costs a look at the disk. */
const MOST_NAMES = 10_000;

/**
 * Which names in folders survive a crash of the machine. What is there need not: whoever made it may have failed, or died, before the name
 * was on the disk.
 */
export class DurableNames {
  private readonly known = new Set<string>();

  /** Folders above the root are somebody else's. */
  constructor(private readonly root: string) {}

  /** Resolves once the name is on the disk, and those of the folders that it lies in. */
  async keep(path: string): Promise<void> {
    if (this.known.has(path)) return;
    if (path.startsWith(this.root + sep)) await this.keep(dirname(path));
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    if (this.known.size >= MOST_NAMES) this.known.clear();
    this.known.add(path);
  }

  /** Of a name that is about to be made. */
  forget(path: string): void {
    this.known.delete(path);
  }

  /**
   * Makes a folder, and those above it that are missing. Rejects as the file system does: Node's own way of making parents says of a full
   * disk that there is no such folder.
   */
  async makeFolder(path: string): Promise<void> {
    try {
      await this.makeOne(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
      await this.makeFolder(dirname(path));
      await this.makeOne(path);
    }
  }

  private async makeOne(path: string): Promise<void> {
    try {
      await mkdir(path, 0o700);
      this.forget(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    await this.keep(path);
  }
}

import { mkdir, open } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Names that are remembered at most; a name that is forgotten costs another sync. */
const MAX_CACHED_NAMES = 10_000;

/**
 * Knows which names in folders survive a crash of the machine. An existing name need not: whoever created it may have
 * failed, or died, before the name was on disk.
 */
export class DurableNames {
  private readonly durable = new Set<string>();

  /** Folders above the root are not ours: their names are not synced. */
  constructor(private readonly root: string) {}

  /** Resolves once the name is on disk, and those of the folders that it lies in. */
  async makeDurable(path: string): Promise<void> {
    if (this.durable.has(path)) return;
    if (path.startsWith(this.root + sep)) await this.makeDurable(dirname(path));
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    if (this.durable.size >= MAX_CACHED_NAMES) this.durable.clear();
    this.durable.add(path);
  }

  /** To be called for a name that is created anew. */
  forget(path: string): void {
    this.durable.delete(path);
  }

  /**
   * Creates a folder and its missing parents. Rejects with the error of the file system: Node's own way of creating
   * parents reports a full disk as a folder that does not exist.
   */
  async makeFolder(path: string): Promise<void> {
    try {
      await this.makeOneFolder(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
      await this.makeFolder(dirname(path));
      await this.makeOneFolder(path);
    }
  }

  private async makeOneFolder(path: string): Promise<void> {
    try {
      await mkdir(path, 0o700);
      this.forget(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    await this.makeDurable(path);
  }
}

import files, { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileBlobs } from './files.blobs';
import { DurableNames } from './files.folders';

describe('names in folders', () => {
  let root: string;
  /** Folders that were synced. */
  let synced: string[];
  let fault: Error | undefined;
  let closed: number;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lettermill-names-'));
    [synced, fault, closed] = [[], undefined, 0];
    const { open } = files;
    jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
      const file = await open(path, flags, mode);
      if (flags !== 'r') return file;
      const { close } = file;
      jest.spyOn(file, 'sync').mockImplementation(() => {
        synced.push(String(path));
        return fault ? Promise.reject(fault) : Promise.resolve();
      });
      jest.spyOn(file, 'close').mockImplementation(() => {
        closed += 1;
        return close.call(file);
      });
      return file;
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(root, { recursive: true });
  });

  it('are on disk with those above them, up to the root, and are remembered', async () => {
    const names = new DurableNames(root);
    await names.makeFolder(join(root, 'a', 'b'));
    expect(synced).toEqual([dirname(root), root, join(root, 'a')]);
    await names.makeFolder(join(root, 'a', 'b'));
    await names.makeDurable(join(root, 'a', 'c'));
    expect(synced.slice(3)).toEqual([join(root, 'a')]);
    expect(closed).toBe(synced.length);
  });

  it('are synced again after a fault, and if they are created anew', async () => {
    const names = new DurableNames(root);
    await names.makeDurable(join(root, 'a'));
    fault = new Error('no disk');
    names.forget(join(root, 'a'));
    await expect(names.makeDurable(join(root, 'a'))).rejects.toThrow('no disk');
    fault = undefined;
    await names.makeDurable(join(root, 'a'));
    expect(synced).toEqual([dirname(root), root, root, root]);
    expect(closed).toBe(synced.length);
  });

  it('of blobs are synced again when a blob that was swept is put again: a crash must not lose it', async () => {
    const store = new FileBlobs(root);
    const folderOf = (blob: string) => synced.filter((path) => path.endsWith(`/${blob.slice(0, 2)}`)).length;
    const { blob } = await store.put('a', Buffer.from('again'));
    expect(folderOf(blob)).toBe(1);
    await store.sweep(Date.now() + 60_000);
    await store.put('a', Buffer.from('again'));
    expect(folderOf(blob)).toBe(2);
  });
});

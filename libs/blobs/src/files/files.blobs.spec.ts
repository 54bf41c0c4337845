import { createHash } from 'node:crypto';
import files, { mkdtemp, open, rm, stat, truncate, utimes, readdir, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { blobStoreContract } from '../blob.contract';
import { FileBlobs } from './files.blobs';

const roots: string[] = [];

async function root(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lettermill-blobs-'));
  roots.push(path);
  return path;
}

/** Where the only account has the blob. */
async function fileOf(path: string, blob: string): Promise<string> {
  const [account] = await readdir(join(path, 'messages'));
  return join(path, 'messages', account!, blob.slice(0, 2), blob);
}

afterAll(() => Promise.all(roots.map((path) => rm(path, { recursive: true, force: true }))));

describe('FileBlobs', () => {
  blobStoreContract(async () => {
    const path = await root();
    const store = new FileBlobs(path);
    return { store, reopen: () => Promise.resolve(new FileBlobs(path)), close: () => store.close() };
  });
});

describe('blobs as files', () => {
  it('are accessible to their owner only', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const { blob } = await store.put('a', Buffer.from('invoice'));
    const mode = async (at: string) => (await stat(at)).mode & 0o777;
    expect(await mode(join(path, 'messages'))).toBe(0o700);
    expect(await mode(await fileOf(path, blob))).toBe(0o600);
    const part = async function* () {
      yield await Promise.resolve(Buffer.from('a part'));
    };
    const draft = await store.draft('a', part());
    await draft.commit();
    expect(await mode(await fileOf(path, draft.blob))).toBe(0o600);
  });

  it('get a new age when they are put again, so that a sweep spares them', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const bytes = Buffer.from('again');
    const { blob } = await store.put('a', bytes);
    const file = await fileOf(path, blob);
    await utimes(file, new Date(0), new Date(0));
    await store.put('a', bytes);
    expect(await store.sweep(Date.now() - 60_000)).toBe(0);
  });

  it('are written anew by a put if something else cut them off', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const bytes = Buffer.from('an invoice');
    const { blob } = await store.put('a', bytes);
    for (const left of [4, 0]) {
      await truncate(await fileOf(path, blob), left);
      await store.put('a', bytes);
      expect(await store.get('a', blob)).toEqual(bytes);
    }
  });

  it('are swept even if one of them cannot be removed', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    for (const text of ['one', 'two', 'three']) await store.put('a', Buffer.from(text));
    const { unlink } = files;
    let refused: unknown;
    jest.spyOn(files, 'unlink').mockImplementation((file) => {
      refused ??= file;
      return file === refused ? Promise.reject(new Error('EPERM')) : unlink(file);
    });
    await expect(store.sweep(Date.now() + 1000)).rejects.toThrow('EPERM');
    jest.restoreAllMocks();
    expect(await store.sweep(Date.now() + 1000)).toBe(1);
  });

  it('sync the new age of an old blob before put resolves, so that a crash does not expose it to the sweep', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const bytes = Buffer.from('again');
    const { blob } = await store.put('a', bytes);
    const file = await fileOf(path, blob);
    const age = new Date(Date.now() - 40 * 86_400_000);
    await utimes(file, age, age);
    const handle = await open(file);
    const handles = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const ages: number[] = [];
    const sync = jest.spyOn(handles, 'sync').mockImplementation(async function (this: typeof handle) {
      ages.push((await this.stat()).mtimeMs);
    });
    await store.put('a', bytes);
    expect(ages).toEqual([(await stat(file)).mtimeMs]);
    expect(ages[0]).toBeGreaterThan(age.getTime());
    // The age of a young blob need not survive a crash.
    await store.put('a', bytes);
    expect(ages).toHaveLength(1);
    sync.mockRejectedValueOnce(Object.assign(new Error('disk'), { code: 'EIO' }));
    await utimes(file, age, age);
    await expect(store.put('a', bytes)).rejects.toMatchObject({ code: 'store_unavailable' });
    sync.mockRestore();
  });

  it.each([1, 2, 3, 4])(
    'sync every folder entry before put resolves, even if sync number %i failed before or the process died there',
    async (failing) => {
      const path = await root();
      const stores = [new FileBlobs(path), new FileBlobs(path)];
      const handle = await open(join(path, 'x'), 'w');
      const handles = Object.getPrototypeOf(handle) as typeof handle;
      await handle.close();
      const opened = new WeakMap<object, string>();
      const opens = files.open;
      jest.spyOn(files, 'open').mockImplementation(async (at, ...how) => {
        const file = await opens(at, ...how);
        opened.set(file, String(at));
        return file;
      });
      const synced: string[] = [];
      let syncs = 0;
      jest.spyOn(handles, 'sync').mockImplementation(function (this: typeof handle) {
        if ((syncs += 1) === failing) return Promise.reject(Object.assign(new Error('full'), { code: 'ENOMEM' }));
        synced.push(opened.get(this)!);
        return Promise.resolve();
      });
      const bytes = Buffer.from('invoice');
      await stores[0]!.put('a', bytes).catch(() => undefined);
      for (const store of stores) {
        const { blob } = await store.put('a', bytes);
        const file = await fileOf(path, blob);
        const folders = [dirname(file), dirname(dirname(file)), join(path, 'messages'), path];
        expect(synced).toEqual(expect.arrayContaining(folders));
        synced.length = 0;
        await store.put('a', bytes);
        expect(synced).toEqual([]);
      }
      jest.restoreAllMocks();
    },
  );

  it('stay when they are put again during a sweep', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const bytes = Buffer.from('again');
    const { blob } = await store.put('a', bytes);
    const file = await fileOf(path, blob);
    const stream = async function* () {
      yield bytes;
      await Promise.resolve();
    };
    const drafted = async () => (await store.draft('a', stream())).commit();
    for (const putAgain of [() => store.put('a', bytes), drafted]) {
      for (let round = 0; round < 100; round += 1) {
        await utimes(file, new Date(0), new Date(0));
        // The sweep reaches the file after some turns of the event loop; with the delay it meets different steps of the put.
        const later = async () => {
          for (let turns = round % 12; turns > 0; turns -= 1) await new Promise(setImmediate);
          await putAgain();
        };
        await Promise.all([store.sweep(Date.now() - 60_000), later()]);
        expect(await store.get('a', blob)).toEqual(bytes);
      }
    }
  });

  describe('when the disk cannot be read or written for now', () => {
    const codes = ['ENOSPC', 'EMFILE', 'EACCES'];
    afterEach(() => jest.restoreAllMocks());

    const fault = (code: string) => Object.assign(new Error('disk'), { code });
    const AWAY = { retryable: true, code: 'store_unavailable' };
    const bytes = async function* () {
      yield Buffer.from('bytes');
      await Promise.resolve();
    };

    it.each([...codes, 'EIO'])('report store_unavailable on %s from a write and leave no draft', async (code) => {
      const path = await root();
      const store = new FileBlobs(path);
      const handle = await open(join(path, 'x'), 'w');
      const handles = Object.getPrototypeOf(handle) as typeof handle;
      await handle.close();
      for (const step of ['writeFile', 'datasync'] as const) {
        jest.spyOn(handles, step).mockRejectedValue(fault(code));
        await expect(store.put('a', Buffer.from(step))).rejects.toMatchObject(AWAY);
        await expect(store.draft('a', bytes())).rejects.toMatchObject(AWAY);
        jest.restoreAllMocks();
      }
      jest.spyOn(files, 'open').mockRejectedValue(fault(code));
      await expect(store.put('a', Buffer.from('open'))).rejects.toMatchObject(AWAY);
      await expect(store.draft('a', bytes())).rejects.toMatchObject(AWAY);
      jest.restoreAllMocks();
      expect(await readdir(join(path, 'drafts'))).toEqual([]);
    });

    it.each(codes)('report store_unavailable on %s from a read', async (code) => {
      const store = new FileBlobs(await root());
      const { blob } = await store.put('a', Buffer.from('there'));
      jest.spyOn(files, 'readFile').mockRejectedValueOnce(fault(code));
      await expect(store.get('a', blob)).rejects.toMatchObject(AWAY);
      expect(await store.get('a', blob)).toEqual(Buffer.from('there'));
    });

    it('report store_unavailable and leave no draft when no folder can be created', async () => {
      const path = await root();
      const store = new FileBlobs(path);
      await store.put('a', Buffer.from('there'));
      const drafted = await store.draft('b', bytes());
      // As Node does on a full disk: with `recursive` it says that there is no such folder.
      jest.spyOn(files, 'mkdir').mockImplementation((folder, options) => {
        const made = String(folder).endsWith('drafts') && typeof options !== 'object';
        const code = typeof options === 'object' ? 'ENOENT' : 'ENOSPC';
        return Promise.reject(fault(made ? 'EEXIST' : code));
      });
      await expect(store.put('b', Buffer.from('other'))).rejects.toMatchObject(AWAY);
      await expect(drafted.commit()).rejects.toMatchObject(AWAY);
      expect(await readdir(join(path, 'drafts'))).toEqual([]);
    });

    it('do not report an I/O error from a read as store_unavailable, as it may be the end of that blob', async () => {
      const store = new FileBlobs(await root());
      jest.spyOn(files, 'readFile').mockRejectedValueOnce(fault('EIO'));
      await expect(store.get('a', 'b')).rejects.toMatchObject({ code: 'EIO' });
    });
  });

  it('create missing folders and their parents', async () => {
    const path = join(await root(), 'a', 'b', 'blobs');
    const [one, two] = [new FileBlobs(path), new FileBlobs(path)];
    const put = await Promise.all([one.put('a', Buffer.from('1')), two.put('a', Buffer.from('2'))]);
    expect(await Promise.all(put.map(({ blob }) => one.get('a', blob)))).toEqual([Buffer.from('1'), Buffer.from('2')]);
  });

  const failing = async function* () {
    yield Buffer.from('half');
    throw new Error('gone');
  };

  it('leave no drafts behind', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    await Promise.allSettled([store.put('a', Buffer.from('1')), store.draft('a', failing())]);
    const dropped = await store.draft('a', (async function* () {})());
    await dropped.discard();
    expect(await readdir(join(path, 'drafts'))).toEqual([]);
  });

  it('lose the drafts that a dead process left behind', async () => {
    const path = await root();
    await new FileBlobs(path).draft('a', (async function* () {})());
    const store = new FileBlobs(path);
    for (let twice = 0; twice < 2; twice += 1) await store.discardDrafts();
    expect(await readdir(path)).not.toContain('drafts');
  });

  it('leave no file open, whatever happens to them', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const opening = jest.spyOn(files, 'open');
    const { blob } = await store.put('a', Buffer.from('1'));
    await utimes(await fileOf(path, blob), new Date(0), new Date(0));
    await store.put('a', Buffer.from('1'));
    await expect(store.draft('a', failing())).rejects.toThrow('gone');
    await (await store.draft('a', (async function* () {})())).commit();
    const opened = await Promise.all(opening.mock.results.map(({ value }) => value as Promise<FileHandle>));
    expect(opened.length).toBeGreaterThan(4);
    // Node's number of a closed one.
    expect(opened.filter(({ fd }) => fd !== -1)).toEqual([]);
  });

  it('are complete once the store is closed', async () => {
    const path = await root();
    const store = new FileBlobs(path);
    const put = store.put('a', Buffer.from('last'));
    await store.close();
    const again = new FileBlobs(path);
    const blob = createHash('sha256').update('last').digest('hex');
    expect(await again.get('a', blob)).toEqual(Buffer.from('last'));
    await put;
  });
});

import fs from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ConfigFault } from '@lettermill/config';
import { makeSecrets } from './secrets';

jest.mock('node:fs/promises', () => ({ ...jest.requireActual<object>('node:fs/promises') }));
const files = jest.requireMock<{ link: () => Promise<void>; readFile: () => Promise<string> }>('node:fs/promises');

describe('the secrets of a first start', () => {
  let directory: string;
  const FILES = ['api-key/api-key', 'dispatch/dkim-key-secret', 'internal/internal-secret'];
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  const listFiles = async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => relative(directory, join(parentPath, name))).sort();
  };
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'secrets-'))));
  afterEach(() => rm(directory, { recursive: true }));

  it('are long enough, differ, and are readable by their owner only', async () => {
    expect((await makeSecrets(directory)).sort()).toEqual(FILES);
    const made = await Promise.all(FILES.map(read));
    expect(made[0]).toMatch(/^lm_[\w-]{43}\n$/);
    for (const secret of made.slice(1)) expect(secret).toMatch(/^[\w-]{43}\n$/);
    expect(new Set(made.map((secret) => secret.replace('lm_', ''))).size).toBe(FILES.length);
    for (const file of FILES) {
      expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(join(directory, file)))).mode & 0o777).toBe(0o700);
    }
    expect(await listFiles()).toEqual(FILES);
  });

  it('are kept, and a missing one is made', async () => {
    await mkdir(join(directory, 'api-key'));
    await writeFile(join(directory, 'api-key/api-key'), 'a key of my own\n');
    expect((await makeSecrets(directory)).sort()).toEqual(FILES.slice(1));
    const secret = await read('internal/internal-secret');
    expect(await makeSecrets(directory)).toEqual([]);
    expect(await read('api-key/api-key')).toBe('a key of my own\n');
    expect(await read('internal/internal-secret')).toBe(secret);
  });

  it('are on the disk by name, too, even if whoever made them died before that', async () => {
    const opened = new Map<number, string>();
    const opens = fs.openSync;
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...how) => {
      const file = opens(path, ...how);
      opened.set(file, String(path));
      return file;
    });
    const synced = new Set<string>();
    jest.spyOn(fs, 'fsyncSync').mockImplementation((file) => void synced.add(opened.get(file)!));
    const folders = [directory, ...FILES.map((file) => dirname(join(directory, file)))];
    for (const made of [FILES, []]) {
      expect((await makeSecrets(directory)).sort()).toEqual(made);
      expect([...synced].sort()).toEqual(folders);
      synced.clear();
    }
    jest.restoreAllMocks();
  });

  it('are made only once by concurrent starts', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeSecrets(directory)));
    expect(made.flat().sort()).toEqual(FILES);
    expect(await listFiles()).toEqual(FILES);
  });

  const asked = () => makeSecrets(directory).catch((error: unknown) => error);
  const expectFault = async (asking: Promise<unknown>, text: RegExp) => {
    const error = await asking;
    expect(error).toBeInstanceOf(ConfigFault);
    expect(error).toMatchObject({ faults: [{ variable: 'SECRETS_DIR', problem: expect.stringMatching(text) }] });
  };

  it('fail if the volume does not support links, and leave no draft behind', async () => {
    const links = jest
      .spyOn(files, 'link')
      .mockRejectedValue(Object.assign(new Error('no links here'), { code: 'EPERM', syscall: 'link' }));
    await expectFault(asked(), /has no links/);
    links.mockRestore();
    expect(await listFiles()).toEqual([]);
  });

  it('are not made where they cannot be: what is wrong is said of SECRETS_DIR', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await symlink(join(directory, 'nothing'), join(directory, 'dangling'));
    const cases: [string, RegExp][] = [
      [
        file,
        /file\/internal\/internal-secret, which can't be made: a part of that path is a file\. Set it to a directory/,
      ],
      [join(file, 'below'), /a part of that path is a file/],
      [join(directory, 'dangling'), /is a link to nothing/],
      [join(directory, 'x'.repeat(300)), /name is too long/],
      // If there is a /proc: it allows no new directories.
      ...(fs.existsSync('/proc/self') ? ([['/proc/nope', /takes no directories/]] as [string, RegExp][]) : []),
    ];
    for (const [path, why] of cases)
      await expectFault(
        makeSecrets(path).catch((error: unknown) => error),
        why,
      );
  });

  it.each([
    ['EACCES', /this process may not write there\. Give the folder to the user/],
    ['EROFS', /read-only/],
    ['ENOSPC', /disk is full\. Free/],
  ])('are not made in a folder that gives %s', async (code, why) => {
    jest.spyOn(fs, 'accessSync').mockImplementation(() => {
      throw Object.assign(new Error(code), { code });
    });
    await expectFault(asked(), why);
    jest.restoreAllMocks();
  });

  it.each(['', '\n'])('are named, not replaced, if they are empty: %j', async (content) => {
    await mkdir(join(directory, 'api-key'));
    await writeFile(join(directory, 'api-key/api-key'), content);
    await expectFault(asked(), /api-key\/api-key, which is empty\. Write the secret into it, or remove it/);
    expect(await read('api-key/api-key')).toBe(content);
  });

  it('fail with the error itself if the disk is broken', async () => {
    const broken = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'link' });
    const links = jest.spyOn(files, 'link').mockRejectedValue(broken);
    expect(await asked()).toBe(broken);
    links.mockRestore();
  });

  it('may be unreadable for whoever makes the others', async () => {
    await makeSecrets(directory);
    const refused = Object.assign(new Error('EACCES'), { code: 'EACCES' });
    const reads = jest.spyOn(files, 'readFile').mockRejectedValue(refused);
    expect(await makeSecrets(directory)).toEqual([]);
    reads.mockRestore();
  });

  it('cannot be directories', async () => {
    await mkdir(join(directory, 'internal/internal-secret'), { recursive: true });
    await expectFault(asked(), /internal-secret, which can't be made: that is a directory/);
  });
});

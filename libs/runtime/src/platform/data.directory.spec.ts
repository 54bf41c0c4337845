import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DataUnusable, deniedData, makeDataDirectory } from './data.directory';

describe('makeDataDirectory', () => {
  const root = mkdtempSync(join(tmpdir(), 'data-directory-'));
  const pathTo = (...path: string[]) => join(root, ...path);
  const startedIn = process.cwd();
  afterEach(() => process.chdir(startedIn));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('creates missing directories for their owner only, and accepts existing ones', () => {
    makeDataDirectory(pathTo('a', 'b', 'c'));
    makeDataDirectory(pathTo('a', 'b', 'c'));
    expect(statSync(pathTo('a', 'b', 'c')).mode & 0o777).toBe(0o700);
    symlinkSync(pathTo('a'), pathTo('link'));
    makeDataDirectory(pathTo('link', 'd'));
    expect(existsSync(pathTo('a', 'd'))).toBe(true);
  });

  it('creates what lies behind a missing directory, and can be reached by the name that it was given', () => {
    mkdirSync(pathTo('named'));
    process.chdir(pathTo('named'));
    for (const path of ['a/./x', 'b/../c/x', 'd//x/', './e/x/..', `${pathTo('named')}/f/../g/./x`]) {
      makeDataDirectory(path);
      expect([path, statSync(path).ino]).toEqual([path, statSync(resolve(path)).ino]);
    }
  });

  it('accepts a directory that another process makes at the same moment', () => {
    const makes = fs.mkdirSync;
    let raced = false;
    jest.spyOn(fs, 'mkdirSync').mockImplementation((path, options) => {
      // The first try finds no parent.
      if (String(path) === pathTo('race', 'x') && existsSync(pathTo('race')) && !raced) {
        raced = true;
        makes(path, options);
      }
      return makes(path, options);
    });
    makeDataDirectory(pathTo('race', 'x'));
    jest.restoreAllMocks();
    expect([raced, statSync(pathTo('race', 'x')).isDirectory()]).toEqual([true, true]);
  });

  it.each([
    ['lettermill.db', 'a directory, and has to be a file'],
    ['log', 'a file, and has to be a directory'],
  ])('refuses contents of another kind: %s', (name, what) => {
    const directory = pathTo(`kind-${name}`);
    mkdirSync(directory);
    if (name === 'log') writeFileSync(join(directory, name), '');
    else mkdirSync(join(directory, name));
    const said = `DATA_DIR ${directory} cannot be used: ${name} is ${what}. Move it away, or restore`;
    expect(() => makeDataDirectory(directory, ['log', 'lettermill.db'])).toThrow(said);
  });

  it('syncs the entry of each directory, even an existing one: its creator may have died before it did', () => {
    const synced: string[] = [];
    const opens = fs.openSync;
    const opened = new Map<number, string>();
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...how) => {
      const file = opens(path, ...how);
      opened.set(file, String(path));
      return file;
    });
    jest.spyOn(fs, 'fsyncSync').mockImplementation((file) => void synced.push(opened.get(file)!));
    makeDataDirectory(pathTo('k', 'l', 'm'));
    expect(synced).toEqual([root, pathTo('k'), pathTo('k', 'l')]);
    synced.length = 0;
    makeDataDirectory(pathTo('k', 'l', 'm'));
    expect(synced).toEqual([pathTo('k', 'l')]);
    jest.restoreAllMocks();
  });

  it.each([
    ['EIO', [expect.stringContaining('EIO')]],
    ['EINVAL', []],
  ])('fails when a directory cannot be synced, unless syncing is not supported: %s', (code, told) => {
    const failing = Object.assign(new Error(code), { code });
    jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw failing;
    });
    const said: string[] = [];
    try {
      makeDataDirectory(pathTo(code));
    } catch (error) {
      said.push((error as Error).message);
    }
    expect(said).toEqual(told);
    jest.restoreAllMocks();
  });

  it('reports at once why the directory cannot be used, and what to do', () => {
    writeFileSync(pathTo('file'), '');
    symlinkSync(pathTo('two'), pathTo('one'));
    symlinkSync(pathTo('one'), pathTo('two'));
    symlinkSync(pathTo('nothing', 'there'), pathTo('dangling'));
    const cases: [string, RegExp][] = [
      [pathTo('file'), /is a file/],
      [pathTo('file', 'below'), /leads through one/],
      [pathTo('one'), /in a circle/],
      [pathTo('one', 'below'), /in a circle/],
      [pathTo('dangling'), /link to nothing/],
      [pathTo('x'.repeat(300)), /too long/],
      [`${root}${'/long'.repeat(1_000)}`, /too long/],
      // If there is a /proc: it allows no new directories.
      ...(existsSync('/proc/self') ? ([['/proc/nope', /takes no directories/]] as [string, RegExp][]) : []),
    ];
    for (const [path, why] of cases) {
      expect(() => makeDataDirectory(path)).toThrow(DataUnusable);
      expect(() => makeDataDirectory(path)).toThrow(why);
      expect(() => makeDataDirectory(path)).toThrow(/Set it to a directory that this process can write to/);
    }
  });

  it('refuses a directory that it may not write to', () => {
    mkdirSync(pathTo('closed'));
    chmodSync(pathTo('closed'), 0o500);
    // Root can write there despite the mode.
    const refused = process.getuid?.() === 0 ? [] : ['this process may not write there'];
    const told: string[] = [];
    try {
      makeDataDirectory(pathTo('closed'));
    } catch (error) {
      told.push((error as Error).message);
    }
    expect(told).toEqual(refused.map((why) => expect.stringContaining(why)));
  });

  it('names a file in it that another user made, such as a process that once ran as root', () => {
    mkdirSync(pathTo('mixed', 'log', 'topics'), { recursive: true });
    writeFileSync(pathTo('mixed', 'log', 'topics', 'a.seg'), '');
    mkdirSync(pathTo('mixed', 'lost+found'));
    const opens = fs.accessSync;
    const closed = [pathTo('mixed', 'log', 'topics', 'a.seg'), pathTo('mixed', 'lost+found')];
    // Root can open everything, so the refusal of the system is simulated.
    jest.spyOn(fs, 'accessSync').mockImplementation((path, mode) => {
      if (closed.includes(String(path))) throw Object.assign(new Error('EACCES'), { code: 'EACCES', path });
      return opens(path, mode);
    });
    expect(() => makeDataDirectory(pathTo('mixed'), ['log', 'store'])).toThrow(
      `DATA_DIR ${pathTo('mixed')} cannot be used: this process may not write log/topics/a.seg, which another user made. ` +
        'Give all files in it to the user that runs this (chown -R).',
    );
    closed.shift();
    expect(() => makeDataDirectory(pathTo('mixed'), ['log', 'store'])).not.toThrow();
    jest.restoreAllMocks();
  });
});

describe('deniedData', () => {
  const refusal = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

  it('says what to do about a file that another user made, whatever the process wanted of it', () => {
    expect(deniedData('/data', refusal('EACCES', '/data/blobs/drafts'))).toMatchObject({
      code: 'data_unusable',
      message: expect.stringMatching(/may not write blobs\/drafts, which another user made\. .*chown -R/),
    });
    expect(deniedData('./data', refusal('EPERM', 'data/api-key'))).toBeInstanceOf(DataUnusable);
  });

  it('says which file is where a folder belongs', () => {
    const directory = mkdtempSync(join(tmpdir(), 'data-kinds-'));
    writeFileSync(join(directory, 'blobs'), '');
    expect(deniedData(directory, refusal('ENOTDIR', join(directory, 'blobs', 'drafts')))).toMatchObject({
      code: 'data_unusable',
      message: expect.stringContaining(': blobs is a file, and has to be a directory. Move it away'),
    });
    rmSync(directory, { recursive: true });
  });

  it('leaves any other error as it is', () => {
    const others = [
      refusal('EACCES', '/database'),
      refusal('EACCES', '/data'),
      refusal('EACCES'),
      refusal('EIO', '/data/api-key'),
    ];
    for (const other of others) expect(deniedData('/data', other)).toBe(other);
  });
});

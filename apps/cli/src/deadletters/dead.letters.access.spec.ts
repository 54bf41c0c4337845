import fs, { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Log from '@lettermill/log';
import { withDeadLetters } from './dead.letters.access';

let fault: Error | undefined;
jest.mock('@lettermill/log', () => ({
  ...jest.requireActual<typeof Log>('@lettermill/log'),
  lockDirectory: (directory: string) => {
    if (fault) throw fault;
    return jest.requireActual<typeof Log>('@lettermill/log').lockDirectory(directory);
  },
}));

describe('the dead letters of a directory that cannot be locked', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-dead-letters-'));
  mkdirSync(join(directory, 'log'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const openDesk = () => withDeadLetters({ DATA_DIR: directory }, () => Promise.resolve('at work'));

  it.each([
    Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
    Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
    Object.assign(new Error('not written'), { cause: { code: 'EDQUOT' } }),
  ])('reports that the volume is full: %s', async (full) => {
    fault = full;
    const expected = { message: `The volume of ${directory} is full: free some space, and try again.`, exitCode: 1 };
    await expect(openDesk()).rejects.toMatchObject(expected);
  });

  it('reports any other error as it is', async () => {
    fault = new Error('something else');
    await expect(openDesk()).rejects.toBe(fault);
  });
});

describe('the dead letters of a stopped process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-dead-letters-'));
  mkdirSync(join(directory, 'log', 'topics', 'message-queued'), { recursive: true });
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => jest.restoreAllMocks());

  it('report what ended the log, not that they could then no longer be read', async () => {
    fault = undefined;
    const ended = new Error('a sync failed');
    const { EmbeddedLog } = jest.requireActual<typeof Log>('@lettermill/log');
    const open = EmbeddedLog.open.bind(EmbeddedLog);
    let end = () => {};
    jest.spyOn(EmbeddedLog, 'open').mockImplementation((options) => {
      end = () => options.onFatal(ended);
      return open(options);
    });
    const work = () => {
      end();
      return Promise.reject(new Error('could not be read in time'));
    };
    await expect(withDeadLetters({ DATA_DIR: directory }, work)).rejects.toBe(ended);
  });
});

describe('the dead letters of another user’s directory, opened as root', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-dead-letters-'));
  const log = join(directory, 'log');
  mkdirSync(log);
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => jest.restoreAllMocks());

  it('creates nothing that this user could not open', async () => {
    const own = process.getuid!();
    const user = own === 0 ? 65534 : own;
    if (own === 0) chownSync(log, user, user);
    jest.spyOn(process, 'getuid').mockReturnValue(0);
    fault = undefined;
    const expected = { message: expect.stringContaining(`belongs to user ${user}`), exitCode: 1 };
    await expect(
      withDeadLetters({ DATA_DIR: directory }, (deadLetters) => deadLetters.list({}, 1)),
    ).rejects.toMatchObject(expected);
    expect([readdirSync(log), readdirSync(directory)]).toEqual([[], ['log']]);
  });
});

describe('the dead letters of a first start that was interrupted', () => {
  it.each([['log'], ['log/topics']])('create no topic, as the next start would miss its stores: %s', async (made) => {
    const directory = mkdtempSync(join(tmpdir(), 'lettermill-dead-letters-'));
    mkdirSync(join(directory, made), { recursive: true });
    fault = undefined;
    const expected = { message: expect.stringContaining('no service has started there yet'), exitCode: 1 };
    const listed = withDeadLetters({ DATA_DIR: directory }, (deadLetters) => deadLetters.list({}, 1));
    await expect(listed).rejects.toMatchObject(expected);
    expect(readdirSync(join(directory, made))).toEqual([]);
    rmSync(directory, { recursive: true });
  });
});

describe('the dead letters of a directory that this user may not use', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-dead-letters-'));
  const pathTo = (...path: string[]) => join(directory, ...path);
  mkdirSync(pathTo('log', 'topics', 'message-queued'), { recursive: true });
  writeFileSync(pathTo('lock.db'), '');
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => jest.restoreAllMocks());

  const list = () => withDeadLetters({ DATA_DIR: directory }, (deadLetters) => deadLetters.list({}, 1));
  /** Root may use everything, so the refusal of the system is simulated. */
  const refuse = (name: 'statSync' | 'accessSync' | 'readdirSync', code: string, refused: string) => {
    const call = fs[name] as (path: string, ...more: unknown[]) => never;
    jest.spyOn(fs, name).mockImplementation((path: unknown, ...more: unknown[]) => {
      if (String(path) === refused) throw Object.assign(new Error(code), { code, path });
      return call(String(path), ...more);
    });
  };

  it.each([
    ['statSync', 'EACCES', 'log'],
    ['accessSync', 'EACCES', 'lock.db'],
    ['accessSync', 'EPERM', 'log'],
    ['readdirSync', 'EACCES', 'log/topics'],
  ] as const)('report whose files they are: %s %s of %s', async (call, code, refused) => {
    fault = undefined;
    refuse(call, code, pathTo(refused));
    const message = `This user may not read or write ${pathTo(refused)}: run this as the user of the service.`;
    await expect(list()).rejects.toMatchObject({ message, exitCode: 1 });
  });

  it('say what to do about a read-only file system', async () => {
    fault = undefined;
    refuse('accessSync', 'EROFS', pathTo('lock.db'));
    const message = expect.stringMatching(/read-only, .* copy the directory first, and set DATA_DIR to the copy/);
    await expect(list()).rejects.toMatchObject({ message, exitCode: 1 });
  });

  it.each([['none'], ['lock.db']])('report that there is no log in %s', async (name) => {
    const listed = withDeadLetters({ DATA_DIR: pathTo(name) }, () => Promise.resolve());
    await expect(listed).rejects.toMatchObject({ message: expect.stringContaining('contains no log') });
  });
});

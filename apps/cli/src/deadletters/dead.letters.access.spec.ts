import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  mkdirSync(join(directory, 'log'));
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

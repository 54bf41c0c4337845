import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from './directory.lock';

/** The program of another process that wants the same lock. */
const RIVAL_PROGRAM = `
  const Database = require('libsql');
  const database = new Database(process.argv[1], { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    console.log('taken');
    setTimeout(() => {}, 60000);
  } catch (error) {
    console.log(error.code);
  }
`;

describe('lockDirectory', () => {
  let directory: string;
  const code = 'directory_locked';

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lettermill-lock-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Starts the other process; resolves with its first output. */
  async function startRival() {
    const child = execFile(process.execPath, ['-e', RIVAL_PROGRAM, join(directory, 'lock.db')], { cwd: __dirname });
    const [said] = (await once(child.stdout!, 'data')) as [string];
    return { said: said.trim(), kill: () => child.kill('SIGKILL'), gone: once(child, 'exit') };
  }

  it('refuses a second lock of this process, until the first is released', () => {
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(expect.objectContaining({ code, retryable: false }) as Error);
    lock.release();
    lock.release();
    lockDirectory(directory).release();
  });

  it('creates the directory', () => {
    lockDirectory(join(directory, 'a', 'b')).release();
  });

  it('lets nobody but the owner read the file, who could lock it, too, even if others could until now', () => {
    const path = join(directory, 'lock.db');
    const modeAfterLock = () => {
      lockDirectory(directory).release();
      return fs.statSync(path).mode & 0o777;
    };
    expect(modeAfterLock()).toBe(0o600);
    fs.chmodSync(path, 0o644);
    expect(modeAfterLock()).toBe(0o600);
  });

  it('refuses a file that it may not write: nobody would be kept out', () => {
    // Root may write any file, so the refusal of the system is simulated.
    const refused = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    const access = jest.spyOn(fs, 'accessSync').mockImplementation((path) => {
      if (path === join(directory, 'lock.db')) throw refused;
    });
    expect(() => lockDirectory(directory)).toThrow(refused);
    access.mockRestore();
    lockDirectory(directory).release();
  });

  it('keeps another process out', async () => {
    const lock = lockDirectory(directory);
    const other = await startRival();
    await other.gone;
    expect(other.said).toBe('SQLITE_BUSY');
    lock.release();
  });

  it('can lock again after the owner was killed', async () => {
    const other = await startRival();
    expect(other.said).toBe('taken');
    expect(() => lockDirectory(directory)).toThrow(expect.objectContaining({ code }) as Error);
    other.kill();
    await other.gone;
    lockDirectory(directory).release();
  });
});

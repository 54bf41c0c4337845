import fs, { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@lettermill/config';
import { createLogger } from '../logging/logger';
import { openEmbedded } from './embedded.platform';

describe('a data directory that was restored from a copy', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'lettermill-data-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is for its owner alone again, log and blobs alike', async () => {
    const folders = ['log', 'blobs'].map((name) => join(directory, name));
    for (const folder of folders) {
      mkdirSync(folder);
      chmodSync(folder, 0o755);
    }
    const config = readConfig({ DATA_DIR: directory }, 'standalone');
    const { close } = await openEmbedded(config, createLogger('silent'), () => {});
    await close();
    expect(folders.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('is refused if its lock belongs to another user, which would keep nobody out', async () => {
    const lock = join(directory, 'lock.db');
    writeFileSync(lock, '');
    const access = fs.accessSync;
    // Root may write any file, so the refusal of the system is simulated.
    jest.spyOn(fs, 'accessSync').mockImplementation((path, mode) => {
      if (path === lock) throw Object.assign(new Error('EACCES'), { code: 'EACCES', path });
      return access(path, mode);
    });
    const config = readConfig({ DATA_DIR: directory }, 'standalone');
    const opening = openEmbedded(config, createLogger('silent'), () => {});
    await expect(opening).rejects.toThrow('may not write lock.db, which another user made');
    jest.restoreAllMocks();
  });
});

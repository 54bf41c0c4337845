import fs from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstKey, instanceSecret } from './first.key';

describe('the key of the first start', () => {
  let dataDir: string;
  const readStoredKey = () => readFile(join(dataDir, 'api-key'), 'utf8');
  beforeEach(async () => (dataDir = await mkdtemp(join(tmpdir(), 'first-key-'))));
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is made once, readable by its owner only, and not if one is given', async () => {
    expect(await firstKey(dataDir, 'given', [])).toBe('given');
    const key = await firstKey(dataDir, null, []);
    expect(key).toMatch(/^lm_/);
    expect([await readStoredKey(), await firstKey(dataDir, null, [])]).toEqual([`${key}\n`, key]);
    expect((await stat(join(dataDir, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('has its name on the disk before it is told', async () => {
    const opened = jest.spyOn(fs, 'openSync');
    const synced = jest.spyOn(fs, 'fsyncSync');
    await firstKey(dataDir, null, []);
    expect(opened).toHaveBeenCalledWith(dataDir, 'r');
    expect(synced).toHaveBeenCalledWith(opened.mock.results[0]!.value);
    jest.restoreAllMocks();
  });

  it('is replaced by a new one when it is revoked', async () => {
    const key = await firstKey(dataDir, null, []);
    const next = await firstKey(dataDir, null, ['another', key]);
    expect(next).toMatch(/^lm_/);
    expect(next).not.toBe(key);
    expect([await readStoredKey(), await firstKey(dataDir, null, [key])]).toEqual([`${next}\n`, next]);
  });

  it.each(['abc', 'two words of a long key', 'schlüssel'.repeat(3)])(
    'is refused if the file holds «%s», which the variable could not',
    async (content) => {
      await writeFile(join(dataDir, 'api-key'), `${content}\n`);
      await expect(firstKey(dataDir, null, [])).rejects.toThrow(/api-key cannot be used: it must/);
      expect(await readStoredKey()).toBe(`${content}\n`);
      expect(await firstKey(dataDir, 'given', [])).toBe('given');
    },
  );

  it('is made anew if the file is empty because it was not written completely', async () => {
    await writeFile(join(dataDir, 'api-key'), '');
    expect(await firstKey(dataDir, null, [])).toMatch(/^lm_/);
  });

  it.each([firstKey, instanceSecret])('is refused if a loss of power left zero bytes of it: %p', async (read) => {
    for (const name of ['api-key', 'instance-secret']) await writeFile(join(dataDir, name), '\0'.repeat(65));
    await expect(read(dataDir, null, [] as never)).rejects.toThrow(/is damaged: it has zero bytes/);
  });

  it('is independent of the instance secret, which stays the same', async () => {
    const secret = await instanceSecret(dataDir, null);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await instanceSecret(dataDir, null)).toBe(secret);
    await expect(readStoredKey()).rejects.toThrow('ENOENT');
  });
});

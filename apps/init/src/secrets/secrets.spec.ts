import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSecrets } from './secrets';

describe('the secrets of a first start', () => {
  let directory: string;
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'secrets-'))));
  afterEach(() => rm(directory, { recursive: true }));

  it('are long enough, differ, and are for their owner alone', async () => {
    expect(await makeSecrets(directory)).toEqual(['internal-secret', 'api-key']);
    const [secret, key] = [await read('internal-secret'), await read('api-key')];
    expect(secret).toMatch(/^[\w-]{43}\n$/);
    expect(key).toMatch(/^lm_[\w-]{43}\n$/);
    expect(key).not.toContain(secret.trim());
    expect((await stat(join(directory, 'api-key'))).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual(['api-key', 'internal-secret']);
  });

  it('stay as they are, and one that is missing is made', async () => {
    await writeFile(join(directory, 'api-key'), 'a key of my own\n');
    expect(await makeSecrets(directory)).toEqual(['internal-secret']);
    const secret = await read('internal-secret');
    expect(await makeSecrets(directory)).toEqual([]);
    expect(await read('api-key')).toBe('a key of my own\n');
    expect(await read('internal-secret')).toBe(secret);
  });

  it('are made once by many at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeSecrets(directory)));
    expect(made.flat().sort()).toEqual(['api-key', 'internal-secret']);
    expect((await readdir(directory)).sort()).toEqual(['api-key', 'internal-secret']);
  });

  it('fail where they can not be written', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await chmod(file, 0o400);
    await expect(makeSecrets(join(file, 'below'))).rejects.toThrow('ENOTDIR');
  });
});

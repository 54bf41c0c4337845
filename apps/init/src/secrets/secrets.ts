import { randomBytes } from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncEntry } from '@lettermill/runtime';
import { newApiKey } from '../../../gateway/src/accounts/api.key';

const SECRET_BYTES = 32;
const randomSecret = () => randomBytes(SECRET_BYTES).toString('base64url');

/** The files, each in a directory for those who may read it, and how each is made. */
const SECRET_FILES: Record<string, () => string> = {
  'internal/internal-secret': randomSecret,
  'api-key/api-key': newApiKey,
  'dispatch/dkim-key-secret': randomSecret,
};

/** Makes the secrets that are missing; resolves to their files. Each file appears complete, and the first one made stays. */
export async function makeSecrets(directory: string): Promise<string[]> {
  const made: string[] = [];
  for (const [name, make] of Object.entries(SECRET_FILES)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    syncEntry(dirname(path));
    if (await writeIfMissing(path, make())) made.push(name);
    syncEntry(path);
  }
  return made;
}

/** False if the file exists already. */
async function writeIfMissing(path: string, secret: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
    // Unlike a rename, a link never replaces an existing file.
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await file.close();
    await unlink(draft);
  }
}

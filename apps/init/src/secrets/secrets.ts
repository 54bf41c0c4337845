import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDataDirectory, syncEntry } from '@lettermill/runtime';
import { newApiKey } from '../../../gateway/src/accounts/api.key';
import { emptySecret, secretsFault } from './secrets.faults';

const SECRET_BYTES = 32;
const randomSecret = () => randomBytes(SECRET_BYTES).toString('base64url');

/** The files, each in a directory for those who may read it, and how each is made. */
const SECRET_FILES: Record<string, () => string> = {
  'internal/internal-secret': randomSecret,
  'api-key/api-key': newApiKey,
  'dispatch/dkim-key-secret': randomSecret,
};

/**
 * Makes the secrets that are missing; resolves to their files. Each file appears complete, and the first one made stays. Rejects with
 * `ConfigFault` if the directory cannot be used, or if a file in it is empty: whoever left it may still have the secret.
 */
export async function makeSecrets(directory: string): Promise<string[]> {
  const made: string[] = [];
  for (const [name, make] of Object.entries(SECRET_FILES)) {
    const path = join(directory, name);
    try {
      makeFolder(dirname(path));
      if (await writeIfMissing(path, make())) made.push(name);
      else if (await isEmpty(path)) throw emptySecret(path);
      syncEntry(path);
    } catch (error) {
      throw secretsFault(path, error);
    }
  }
  return made;
}

/** Throws the error of the file system. */
function makeFolder(path: string): void {
  try {
    makeDataDirectory(path);
  } catch (error) {
    throw (error as Error).cause;
  }
}

/** Also if there is nothing but white space, as for those who read it. A file that this process may not read is theirs to judge. */
async function isEmpty(path: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')).trim() === '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false;
    throw error;
  }
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

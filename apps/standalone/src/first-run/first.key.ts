import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKey, minLength, FIRST_KEY_FILE, type Reader } from '@lettermill/config';
import { syncEntry } from '@lettermill/runtime';
import { newApiKey } from '../../../gateway/src/accounts/api.key';

/** The secret that signs return paths and the calls between services. */
const INSTANCE_SECRET_FILE = 'instance-secret';

/** A file of DATA_DIR: how its content is made, and what it may hold, as for the variable that can be set instead. */
interface SecretFile {
  path: string;
  make: () => string;
  reader: Reader<string>;
}

/** The key of account `default`: from the environment, else the one of the first start unless it was revoked, else a new one. */
export function firstKey(dataDir: string, fromEnvironment: string | null, revoked: string[]): Promise<string> {
  const file = { path: join(dataDir, FIRST_KEY_FILE), make: newApiKey, reader: apiKey };
  return readOrCreate(file, fromEnvironment, revoked);
}

/** The secret of the instance: from the environment, else the one of the first start, else a new one, after a call of `onMade`. */
export function instanceSecret(
  dataDir: string,
  fromEnvironment: string | null,
  onMade: () => void = () => undefined,
): Promise<string> {
  const make = () => {
    onMade();
    return randomBytes(32).toString('hex');
  };
  return readOrCreate({ path: join(dataDir, INSTANCE_SECRET_FILE), make, reader: minLength(32) }, fromEnvironment);
}

async function readOrCreate(
  { path, make, reader }: SecretFile,
  fromEnvironment: string | null,
  revoked: string[] = [],
): Promise<string> {
  if (fromEnvironment) return fromEnvironment;
  const found = await contentOf(path);
  // As after a loss of power: a secret that anybody could guess.
  if (found?.includes('\0'))
    throw new Error(`${path} is damaged: it has zero bytes. Restore it from a backup; if there is none, delete it.`);
  const reading = found ? reader(found) : undefined;
  if (reading && 'fault' in reading) throw new Error(`The key in ${path} cannot be used: it ${reading.fault}.`);
  if (found && !revoked.includes(found)) return found;
  const made = make();
  await writeFile(path, `${made}\n`, { mode: 0o600, flush: true });
  syncEntry(path);
  return made;
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

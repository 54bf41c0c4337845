import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newApiKey } from '../../../gateway/src/accounts/api.key';

/** The key of the first start, readable by its owner alone. */
const KEY_FILE = 'api-key';

/** What the instance signs return paths and calls between its services with. */
const SECRET_FILE = 'instance-secret';

/** The key of account `default`: from the environment, else the one of the first start unless it is revoked, else a new one. */
export function firstKey(dataDir: string, fromEnvironment: string | null, revoked: string[]): Promise<string> {
  return kept(join(dataDir, KEY_FILE), fromEnvironment, newApiKey, revoked);
}

/** The secret of the instance: from the environment, else the one of the first start, else a new one. */
export function instanceSecret(dataDir: string, fromEnvironment: string | null): Promise<string> {
  return kept(join(dataDir, SECRET_FILE), fromEnvironment, () => randomBytes(32).toString('hex'));
}

async function kept(
  path: string,
  fromEnvironment: string | null,
  make: () => string,
  revoked: string[] = [],
): Promise<string> {
  if (fromEnvironment) return fromEnvironment;
  try {
    const found = (await readFile(path, 'utf8')).trim();
    if (found && !revoked.includes(found)) return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = make();
  await writeFile(path, `${made}\n`, { mode: 0o600, flush: true });
  return made;
}

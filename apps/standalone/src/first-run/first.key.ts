import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newApiKey } from '../../../gateway/src/accounts/api.key';

/** The key of the first start, readable by its owner alone. */
const KEY_FILE = 'api-key';

/** The key of account `default`: from the environment, else the one of the first start, else a new one. */
export async function firstKey(dataDir: string, fromEnvironment: string | null): Promise<string> {
  if (fromEnvironment) return fromEnvironment;
  const path = join(dataDir, KEY_FILE);
  try {
    const kept = (await readFile(path, 'utf8')).trim();
    if (kept) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = newApiKey();
  await writeFile(path, `${key}\n`, { mode: 0o600, flush: true });
  return key;
}

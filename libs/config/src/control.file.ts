import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Address of the running process, and the token that its control server requires: whoever can read DATA_DIR may use it. */
export interface ControlAddress {
  url: string;
  token: string;
}

const controlFilePath = (dataDir: string) => join(dataDir, 'control.json');

export async function writeControlFile(dataDir: string, address: ControlAddress): Promise<void> {
  const path = controlFilePath(dataDir);
  await rm(`${path}.tmp`, { force: true });
  await writeFile(`${path}.tmp`, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

export function removeControlFile(dataDir: string): Promise<void> {
  return rm(controlFilePath(dataDir), { force: true });
}

/** Resolves to undefined if the file is missing or invalid. */
export async function readControlFile(dataDir: string): Promise<ControlAddress | undefined> {
  try {
    const { url, token } = JSON.parse(await readFile(controlFilePath(dataDir), 'utf8')) as Partial<ControlAddress>;
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined;
  } catch {
    return undefined;
  }
}

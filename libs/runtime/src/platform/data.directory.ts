import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const { R_OK, W_OK, X_OK } = constants;

const DENIED_CODES = ['EACCES', 'EPERM'];
const REASONS = new Map([
  ['EACCES', 'this process may not write there'],
  ['EPERM', 'this process may not write there'],
  ['EROFS', 'its file system is read-only'],
  ['ENOTDIR', 'it is a file, or leads through one'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'it is a link to nothing, or its file system takes no directories'],
  ['ENOSPC', 'its disk is full'],
  ['EDQUOT', 'its disk is full'],
]);

const deniedText = (path: string) =>
  `this process may not write ${path}, which another user made. Give all files in it to the user that runs this (chown -R).`;
const USE_ANOTHER = 'Set it to a directory that this process can write to.';

/** DATA_DIR cannot be created or used. */
export class DataUnusable extends Error {
  readonly code = 'data_unusable';

  constructor(directory: string, cause: NodeJS.ErrnoException) {
    const denied = deniedBelow(directory, cause);
    const why = denied ? deniedText(denied) : `${REASONS.get(cause.code ?? '') ?? cause.message}. ${USE_ANOTHER}`;
    super(`DATA_DIR ${directory} cannot be used: ${why}`, { cause });
  }
}

/** Creates DATA_DIR if it is missing. The process must have access to all that is below the names in `contents`. Throws `DataUnusable`. */
export function makeDataDirectory(directory: string, contents: string[] = []): void {
  try {
    createDirectory(directory);
    accessSync(directory, R_OK | W_OK | X_OK);
    for (const name of contents) mustBeAccessible(join(directory, name));
  } catch (error) {
    throw new DataUnusable(directory, error as NodeJS.ErrnoException);
  }
}

/** A file below DATA_DIR that was refused is `DataUnusable`, which says what to do; any other error is returned as it is. */
export function deniedData(directory: string, error: unknown): unknown {
  const cause = error as NodeJS.ErrnoException;
  return deniedBelow(directory, cause) ? new DataUnusable(directory, cause) : error;
}

/** The file below `directory` that was refused, seen from there; undefined if the error is another. */
function deniedBelow(directory: string, { code = '', path = directory }: NodeJS.ErrnoException): string | undefined {
  const below = relative(directory, path);
  return DENIED_CODES.includes(code) && below !== '' && !below.startsWith('..') ? below : undefined;
}

function mustBeAccessible(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  accessSync(path, found.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK);
  if (found.isDirectory()) for (const name of readdirSync(path)) mustBeAccessible(join(path, name));
}

/** Creates a directory and its parents. Node's `recursive` never returns on a file system that allows no directories, such as /proc. */
function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      mustBeDirectory(directory);
      return syncEntry(directory);
    }
    const parent = dirname(directory);
    if (code !== 'ENOENT' || parent === directory || pathExists(parent)) throw error;
    createDirectory(parent);
    mkdirSync(directory, { mode: 0o700 });
  }
  syncEntry(directory);
}

/**
 * Makes the name of a file or directory survive a power cut, as its content does. Also if it existed: its creator may have
 * died before this.
 */
export function syncEntry(path: string): void {
  const parent = openDirectory(dirname(path));
  if (parent === undefined) return;
  try {
    fsyncSync(parent);
  } catch (error) {
    // Some file systems cannot sync directories.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    closeSync(parent);
  }
}

/** Opens a directory; undefined if this process may not read it. */
function openDirectory(directory: string): number | undefined {
  try {
    return openSync(directory, 'r');
  } catch {
    return undefined;
  }
}

function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function mustBeDirectory(path: string): void {
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
}

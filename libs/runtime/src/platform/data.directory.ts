import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';

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

const MOVE_AWAY = 'Move it away, or restore the whole directory from one backup.';
const USE_ANOTHER = 'Set it to a directory that this process can write to.';

/** DATA_DIR cannot be created or used. */
export class DataUnusable extends Error {
  readonly code = 'data_unusable';

  constructor(directory: string, cause: NodeJS.ErrnoException) {
    const why = reasonBelow(directory, cause) ?? `${REASONS.get(cause.code ?? '') ?? cause.message}. ${USE_ANOTHER}`;
    super(`DATA_DIR ${directory} cannot be used: ${why}`, { cause });
  }
}

/**
 * Creates DATA_DIR if it is missing. The process must have access to all that is below the names in `contents`: files have an ending,
 * folders have none. Throws `DataUnusable`.
 */
export function makeDataDirectory(directory: string, contents: string[] = []): void {
  try {
    // What is made below it is named like this.
    const whole = resolve(directory);
    createDirectory(whole);
    // For whoever asks for it by a name like `missing/../data`.
    if (!pathExists(directory)) createDirectory(directory);
    accessSync(whole, R_OK | W_OK | X_OK);
    for (const name of contents) {
      mustBeOfItsKind(join(whole, name));
      mustBeAccessible(join(whole, name));
    }
  } catch (error) {
    throw new DataUnusable(directory, error as NodeJS.ErrnoException);
  }
}

/**
 * A file below DATA_DIR that was refused, or that is where a folder belongs, is `DataUnusable`, which says what to do; any other error is
 * returned as it is.
 */
export function deniedData(directory: string, error: unknown): unknown {
  const cause = error as NodeJS.ErrnoException;
  return reasonBelow(directory, cause) === undefined ? error : new DataUnusable(directory, cause);
}

/** What is wrong with a file or folder below `directory`, and what to do; undefined if the error is another. */
function reasonBelow(directory: string, { code = '', path = directory }: NodeJS.ErrnoException): string | undefined {
  const below = relative(directory, path);
  if (below === '' || below.startsWith('..')) return undefined;
  if (DENIED_CODES.includes(code))
    return `this process may not write ${below}, which another user made. Give all files in it to the user that runs this (chown -R).`;
  if (code === 'EISDIR') return `${below} is a directory, and has to be a file. ${MOVE_AWAY}`;
  if (code === 'ENOTDIR') return `${fileOnTheWay(directory, below)} is a file, and has to be a directory. ${MOVE_AWAY}`;
  return undefined;
}

/** The first part of the path `below` that leads no further. */
function fileOnTheWay(directory: string, below: string): string {
  const parts = below.split(sep).map((_, index, all) => all.slice(0, index + 1).join(sep));
  return parts.find((part) => !statSync(join(directory, part), { throwIfNoEntry: false })?.isDirectory()) ?? below;
}

function mustBeOfItsKind(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const isFolder = extname(path) === '';
  if (found === undefined || found.isDirectory() === isFolder) return;
  throw Object.assign(new Error(`${path} is of another kind`), { code: isFolder ? 'ENOTDIR' : 'EISDIR', path });
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
    makeOrFind(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(directory);
    if (code !== 'ENOENT' || parent === directory || pathExists(parent)) throw error;
    createDirectory(parent);
    makeOrFind(directory);
  }
  syncEntry(directory);
}

/** Another process may make it at the same moment. */
function makeOrFind(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    mustBeDirectory(directory);
  }
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

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOCK_FILE } from '@lettermill/log';
import { CommandFault } from '../command.fault';

const { R_OK, W_OK, X_OK } = constants;

/** Error codes of SQLite and the system: taking the directory and deciding both need a few kilobytes of disk. */
const DISK_FULL_CODES = ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'];
const DENIED_CODES = ['EACCES', 'EPERM', 'SQLITE_PERM'];
const READ_ONLY_CODES = ['EROFS', 'SQLITE_READONLY'];
/** The path leads nowhere, or through a file. */
const MISSING_CODES = ['ENOENT', 'ENOTDIR'];

/** Throws `CommandFault` if DATA_DIR has no log, or if nobody but another user may know. */
export function mustHaveLog(dataDir: string): void {
  try {
    if (statSync(join(dataDir, 'log')).isDirectory()) return;
  } catch (error) {
    if (!MISSING_CODES.includes((error as NodeJS.ErrnoException).code ?? '')) throw explainFault(error, dataDir);
  }
  throw new CommandFault(`${dataDir} contains no log: set DATA_DIR, or KAFKA_BROKERS for the cluster profile.`, 1);
}

/**
 * Throws `CommandFault` if no service has come as far as to create topics here, as after a first start that was interrupted. To open that log
 * would create one, and then the next start would miss the stores that belong to it.
 */
export function mustHaveTopics(dataDir: string): void {
  const topics = join(dataDir, 'log', 'topics');
  if (existsSync(topics) && readdirSync(topics).length > 0) return;
  throw new CommandFault(`The log in ${dataDir} is empty, as no service has started there yet.`, 1);
}

/** Throws `CommandFault` if the locks of DATA_DIR and its log cannot be taken: the driver says only that it cannot open a file, not why. */
export function mustBeWritable(dataDir: string): void {
  try {
    for (const lock of [join(dataDir, LOCK_FILE), join(dataDir, 'log', LOCK_FILE)]) {
      if (existsSync(lock)) accessSync(lock, R_OK | W_OK);
      else accessSync(dirname(lock), R_OK | W_OK | X_OK);
    }
  } catch (error) {
    throw explainFault(error, dataDir);
  }
}

/** `CommandFault` for what the person who typed the command can change; any other error is returned as it is. */
export function explainFault(error: unknown, dataDir: string): unknown {
  const { code, path, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const isOneOf = (codes: string[]) => codes.includes(code ?? '') || codes.includes(cause?.code ?? '');
  if (isOneOf(DISK_FULL_CODES))
    return new CommandFault(`The volume of ${dataDir} is full: free some space, and try again.`, 1);
  if (isOneOf(READ_ONLY_CODES)) {
    return new CommandFault(
      `The file system of ${dataDir} is read-only, and this needs to write: copy the directory first, and set DATA_DIR to the copy.`,
      1,
    );
  }
  if (!isOneOf(DENIED_CODES)) return error;
  const what = path ?? cause?.path ?? dataDir;
  return new CommandFault(`This user may not read or write ${what}: run this as the user of the service.`, 1);
}

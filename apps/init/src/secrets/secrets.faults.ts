import { ConfigFault } from '@lettermill/config';

const ANOTHER = 'Set it to a directory that this process can write to.';
const DENIED = 'this process may not write there. Give the folder to the user that runs this (chown -R).';
const FULL = 'the disk is full. Free some space.';
/** Why it cannot be made, and what to do. */
const REASONS = new Map([
  ['EACCES', DENIED],
  ['EPERM', DENIED],
  ['EROFS', `the file system is read-only. ${ANOTHER}`],
  ['ENOTDIR', `a part of that path is a file. ${ANOTHER}`],
  ['ENOENT', `a part of that path is a link to nothing, or the file system takes no directories. ${ANOTHER}`],
  ['ELOOP', `the links of that path lead in a circle. ${ANOTHER}`],
  ['ENAMETOOLONG', `that name is too long. ${ANOTHER}`],
  ['EISDIR', 'that is a directory. Remove it.'],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
]);
const NO_LINKS = `the file system has no links, by which a file appears complete. ${ANOTHER}`;
const NO_LINKS_CODES = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

const fault = (problem: string) => new ConfigFault([{ variable: 'SECRETS_DIR', problem }]);

/** `ConfigFault` for an error of the file system, met while the secret at `path` was made; any other error is returned as it is. */
export function secretsFault(path: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const why = syscall === 'link' && NO_LINKS_CODES.includes(code) ? NO_LINKS : REASONS.get(code);
  return why === undefined ? error : fault(`leads to ${path}, which can't be made: ${why}`);
}

export function emptySecret(path: string): ConfigFault {
  return fault(`has ${path}, which is empty. Write the secret into it, or remove it, and another one is made.`);
}

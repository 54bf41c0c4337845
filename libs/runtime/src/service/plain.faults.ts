/** A server can't have its port. */
export class CanNotListen extends Error {
  readonly code = 'can_not_listen';
}

/** Codes of faults whose text tells whoever started the process what to do: there is nothing to look for in the code. */
const PLAIN: readonly unknown[] = ['can_not_listen', 'data_unusable', 'data_incomplete', 'directory_locked'];

/** What the last line of a process says beside the message: a stack only where it leads somewhere. */
export function lastFields(error: Error): object {
  const { code } = error as { code?: unknown };
  return PLAIN.includes(code) ? { code } : { err: error };
}

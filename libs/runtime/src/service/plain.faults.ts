/** A server cannot listen on its port. */
export class CanNotListen extends Error {
  readonly code = 'can_not_listen';
}

/** Codes of faults whose text tells the operator what to do; a stack would not help. */
const PLAIN_CODES: readonly unknown[] = [
  'can_not_listen',
  'data_unusable',
  'data_incomplete',
  'data_unreadable',
  'directory_locked',
];

/** Fields of the last line that a process logs: a stack only if it helps. */
export function fatalFields(error: Error): object {
  const { code } = error as { code?: unknown };
  return PLAIN_CODES.includes(code) ? { code } : { err: error };
}

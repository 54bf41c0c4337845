export type LogFaultCode =
  'log_damaged' | 'directory_locked' | 'group_taken' | 'topic_name_refused' | 'log_option_refused';

/** A fault that does not pass by trying again; `code` tells which. */
export class LogFault extends Error {
  readonly retryable = false;
  constructor(
    readonly code: LogFaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** Bytes that had been synced differ from what was written. `offset` is where in `file` this was found; undefined for a folder. */
export class LogDamaged extends LogFault {
  constructor(
    readonly file: string,
    readonly offset: number | undefined,
    what: string,
  ) {
    super('log_damaged', `${file} is damaged${offset === undefined ? '' : ` at byte ${offset}`}: ${what}`);
  }
}

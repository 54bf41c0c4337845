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

/** Bytes that had been synced differ from what was written. `offset` is where in `file` this was found. */
export class LogDamaged extends LogFault {
  constructor(
    readonly file: string,
    readonly offset: number,
    what: string,
  ) {
    super('log_damaged', `${file} is damaged at byte ${offset}: ${what}`);
  }
}

export type LogFaultCode =
  'log_damaged' | 'directory_locked' | 'group_taken' | 'topic_name_refused' | 'log_option_refused';

/** Something that trying again does not mend; told apart by `code`. */
export class LogFault extends Error {
  readonly retryable = false;
  constructor(
    readonly code: LogFaultCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Bytes that had been synced are not what was written. `offset` is where in `file` it shows. */
export class LogDamaged extends LogFault {
  constructor(
    readonly file: string,
    readonly offset: number,
    what: string,
  ) {
    super('log_damaged', `${file} is damaged at byte ${offset}: ${what}`);
  }
}

/** What the log needs of a logger (pino's shape). Fields never hold keys, values or header values of records. */
export interface LogLines {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export const SILENT_LOGGER: LogLines = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * The values that stores keep. Booleans are stored as 0 and 1, times as text or whole milliseconds, JSON as text. No
 * bytes: they abort the driver. No U+0000 in a text, which is read back only up to there; as an escape in JSON it does no harm.
 */
export type SqlValue = string | number | bigint | null;
export type SqlRow = Record<string, SqlValue>;

/** One statement, run once per entry of `rows` (`[[]]` when it takes no parameters). */
export interface SqlStep {
  sql: string;
  rows: SqlValue[][];
  /** The text varies with what callers ask for: there may be thousands of such texts. */
  varied?: boolean;
}

/** The result of one step: all rows that it returned (SELECT, RETURNING) and, per entry, how many rows it changed. */
export interface SqlResult {
  rows: SqlRow[];
  changes: number[];
}

export interface SqlCall {
  id: number;
  steps: SqlStep[];
}

export interface SqlAnswer {
  id: number;
  results?: SqlResult[];
  error?: { code: string; message: string };
}

export interface SqlWorkerData {
  path: string;
  readonly: boolean;
  /** Memory of its `DriverGate`. */
  gate: SharedArrayBuffer;
}

/** How long a connection waits for the locks of others. */
export const BUSY_TIMEOUT_MS = 10_000;

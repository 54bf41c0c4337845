/** How much of the records one batch takes. */
export interface RecordLimits {
  maxRecords: number;
  /** Bytes of values; the first record is taken whatever its size. */
  maxBytes: number;
}

const DEFAULT_MAX_RECORDS = 500;
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export function recordLimits(maxRecords = DEFAULT_MAX_RECORDS): RecordLimits {
  return { maxRecords: Math.max(maxRecords, 1), maxBytes: MAX_BATCH_BYTES };
}

import type { SubscribeOptions } from './log.port';

/** Limits of one batch. */
export interface BatchLimits {
  maxRecords: number;
  /** Bytes of values; the first record is taken whatever its size. */
  maxBytes: number;
}

const DEFAULT_MAX_RECORDS = 500;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** The limits asked for, or the defaults of the port. */
export function batchLimits(asked: Pick<SubscribeOptions, 'maxRecords' | 'maxBytes'> = {}): BatchLimits {
  const { maxRecords = DEFAULT_MAX_RECORDS, maxBytes = DEFAULT_MAX_BYTES } = asked;
  return { maxRecords: Math.max(maxRecords, 1), maxBytes };
}

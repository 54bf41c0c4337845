import type { SubscribeOptions } from './log.port';

/** Limits of one batch. */
export interface BatchLimits {
  maxRecords: number;
  /** Bytes of values; the first record is taken whatever its size. */
  maxBytes: number;
}

const MAX_RECORDS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** The limits asked for, or the defaults of the port. */
export function batchLimits(asked: Pick<SubscribeOptions, 'maxRecords' | 'maxBytes'> = {}): BatchLimits {
  const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES } = asked;
  return { maxRecords: Math.max(maxRecords, 1), maxBytes };
}

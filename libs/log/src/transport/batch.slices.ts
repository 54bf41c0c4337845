import { splitByWeight } from '@lettermill/concurrency';
import { MIN_VALUE_TEXT_BYTES, estimateValues } from '@lettermill/contract';
import type { LogRecord } from '../log.port';

/** JSON values in the events that are parsed at a time. A parsed value takes some 30 to 130 bytes, however short its text. */
const MAX_SLICE_VALUES = 64 * 1024;

/**
 * Splits the records of a batch into slices that may be parsed at once, in order; a record with more values than that
 * is a slice of its own. Bytes bound a batch, but 4 MiB of them can become 200 MiB of values. Most batches are one
 * slice, and nothing is counted.
 */
export function slicesOf(records: LogRecord[]): LogRecord[][] {
  const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
  if (bytes <= MAX_SLICE_VALUES * MIN_VALUE_TEXT_BYTES) return [records];
  return splitByWeight(records, ({ value, position }) => estimateValues(value, position), MAX_SLICE_VALUES);
}

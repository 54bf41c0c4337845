import { LEAST_VALUE_BYTES, valuesAbout } from '@lettermill/contract';
import type { LogRecord } from '../log.port';

/** Of JSON, in events that are parsed at a time. A value takes some 30 to 130 bytes then, however short its text. */
const MOST_VALUES = 64 * 1024;

/**
 * The records of a batch in pieces that may be parsed at once, in order; a record with more values than that is one of its own. Bytes
 * bound a batch, but 4 MiB of them can become 200 MiB of values. Mostly it is one piece, and nothing is counted.
 */
export function slicesOf(records: LogRecord[]): LogRecord[][] {
  const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
  if (bytes <= MOST_VALUES * LEAST_VALUE_BYTES) return [records];
  const slices: LogRecord[][] = [];
  let slice: LogRecord[] = [];
  let values = 0;
  for (const record of records) {
    const more = valuesAbout(record.value, record.position);
    if (slice.length > 0 && values + more > MOST_VALUES) {
      slices.push(slice);
      slice = [];
      values = 0;
    }
    slice.push(record);
    values += more;
  }
  return [...slices, slice];
}

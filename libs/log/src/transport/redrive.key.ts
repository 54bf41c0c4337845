import type { LogRecord, NewRecord } from '../log.port';
import { REDRIVE_GROUP_HEADER } from './dead.letter';

/**
 * What the key of a redriven record ends with on a compacted topic. With the key alone it would be the last of its key,
 * and the newer state of the same contact or campaign would be removed.
 */
function suffixOf(headers: Record<string, string>): string | undefined {
  const group = headers[REDRIVE_GROUP_HEADER];
  return group === undefined ? undefined : `#redrive:${group}:${headers.ce_id ?? ''}`;
}

/** The record with the key that it has on a compacted topic; its partition is that of its own key. */
export function withCompactionKey<T extends NewRecord>(record: T): T {
  const suffix = suffixOf(record.headers);
  return suffix === undefined ? record : { ...record, key: record.key + suffix };
}

/** The key that the record was given, from the one that it has on the topic. */
export function ownKeyOf(key: string, headers: LogRecord['headers']): string {
  const suffix = suffixOf(headers);
  return suffix !== undefined && key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

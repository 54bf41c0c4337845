import { TOPICS } from '@lettermill/events';
import { LogUnavailable, RecordTooLarge, type NewRecord, type RecordValue } from './log.port';

/** Limit for the headers of one record. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Bytes of headers that a dead letter has besides those of the record; kafka.options leaves room for them in a batch. */
const DEAD_LETTER_HEADER_BYTES = 16 * 1024;

/**
 * Throws `RecordTooLarge`. `limit` applies to the bytes of key and value; headers have a limit of their own, so that a
 * record that fits also fits with the headers of a dead letter.
 */
export function checkSize(record: NewRecord, limit: number): void {
  // UTF-8 takes at most 3 bytes per UTF-16 unit, so most records need no count.
  if ((record.key.length + lengthOf(record.value)) * 3 > limit) {
    const size = Buffer.byteLength(record.key) + bytesOf(record.value);
    if (size > limit) throw new RecordTooLarge(size, limit);
  }
  let headerBytes = 2;
  for (const name in record.headers) headerBytes += name.length + record.headers[name]!.length;
  const maxHeaderBytes = MAX_HEADER_BYTES + (record.topic === TOPICS.deadLetter ? DEAD_LETTER_HEADER_BYTES : 0);
  if (headerBytes > maxHeaderBytes) throw new RecordTooLarge(headerBytes, maxHeaderBytes);
}

/** Bytes of a value once it is written. */
export function bytesOf(value: RecordValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return value.length;
  return value.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** Bytes of a buffer, or UTF-16 units of a text. */
export function lengthOf(value: RecordValue): number {
  return Array.isArray(value) ? value.reduce((sum, part) => sum + part.length, 0) : value.length;
}

/** Appends to each topic separately. When a call has several topics, it is never certain that nothing was written. */
export async function appendByTopic(
  records: NewRecord[],
  append: (topic: string, some: NewRecord[]) => Promise<void>,
): Promise<void> {
  const byTopic = [...recordsByTopic(records)];
  if (byTopic.length === 1) return append(...byTopic[0]!);
  try {
    await Promise.all(byTopic.map(([topic, some]) => append(topic, some)));
  } catch (error) {
    if (!(error instanceof LogUnavailable && error.unwritten)) throw error;
    throw new LogUnavailable(error.message, { cause: error });
  }
}

/** Records per topic, in the order given. */
function recordsByTopic(records: NewRecord[]): Map<string, NewRecord[]> {
  const byTopic = new Map<string, NewRecord[]>();
  for (const record of records) {
    const some = byTopic.get(record.topic);
    if (some) some.push(record);
    else byTopic.set(record.topic, [record]);
  }
  return byTopic;
}

import { TOPICS } from '@lettermill/events';
import { LogUnavailable, RecordTooLarge, type NewRecord, type RecordValue } from './log.port';

/** Headers of one record, as JSON. */
const MAX_HEADER_BYTES = 64 * 1024;
/** What a dead letter has besides those of the record: kafka.options leaves room for it in a batch. */
const DEAD_LETTER_BYTES = 16 * 1024;

/** Throws `RecordTooLarge`. `limit` is for key and value; headers have a limit of their own, so that a record that
 * fits still does with the headers of a dead letter. */
export function checkSize(record: NewRecord, limit: number): void {
  // No character takes more than 3 bytes per UTF-16 unit: most records need no count.
  if ((record.key.length + lengthOf(record.value)) * 3 > limit) {
    const size = Buffer.byteLength(record.key) + bytesOf(record.value);
    if (size > limit) throw new RecordTooLarge(size, limit);
  }
  let headerBytes = 2;
  for (const name in record.headers) headerBytes += name.length + record.headers[name]!.length;
  const most = MAX_HEADER_BYTES + (record.topic === TOPICS.deadLetter ? DEAD_LETTER_BYTES : 0);
  if (headerBytes > most) throw new RecordTooLarge(headerBytes, most);
}

/** Bytes of a value as it is written. */
export function bytesOf(value: RecordValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return value.length;
  return value.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** Bytes or characters of a value. */
export function lengthOf(value: RecordValue): number {
  return Array.isArray(value) ? value.reduce((sum, part) => sum + part.length, 0) : value.length;
}

/** Appends to each topic by itself. Of a call with several, that nothing is written is never certain. */
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

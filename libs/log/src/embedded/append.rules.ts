import { RecordTooLarge, type NewRecord } from '../log.port';

/** Headers of one record, as JSON. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Throws `RecordTooLarge`. `limit` is for key and value; headers have a limit of their own, so that a record that
 * fits still does with the headers of a dead letter. */
export function checkSize(record: NewRecord, limit: number): void {
  const size = Buffer.byteLength(record.key) + record.value.length;
  if (size > limit) throw new RecordTooLarge(size, limit);
  let headerBytes = 2;
  for (const [name, value] of Object.entries(record.headers)) headerBytes += name.length + value.length;
  if (headerBytes > MAX_HEADER_BYTES) throw new RecordTooLarge(headerBytes, MAX_HEADER_BYTES);
}

/** Records per topic, in the order given. */
export function recordsByTopic(records: NewRecord[]): Map<string, NewRecord[]> {
  const byTopic = new Map<string, NewRecord[]>();
  for (const record of records) {
    const some = byTopic.get(record.topic);
    if (some) some.push(record);
    else byTopic.set(record.topic, [record]);
  }
  return byTopic;
}

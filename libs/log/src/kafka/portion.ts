import type { RecordLimits } from '../log.batches';
import type { LogRecord } from '../log.port';

/** What a broker returned for one partition, and how many of the records have been handed out. */
export interface Chunk {
  partition: number;
  records: LogRecord[];
  taken: number;
}

/** Records for one batch, and the positions after it. */
export interface Portion {
  records: LogRecord[];
  next: Map<number, number>;
}

/**
 * Takes the next batch off the chunks, in their order: at most `maxRecords`, at most `maxBytes` of values except for a
 * single record. Advances `taken`.
 */
export function takePortion(chunks: Chunk[], { maxRecords, maxBytes }: RecordLimits): Portion {
  const records: LogRecord[] = [];
  const next = new Map<number, number>();
  let bytes = 0;
  for (const chunk of chunks) {
    while (chunk.taken < chunk.records.length) {
      const record = chunk.records[chunk.taken]!;
      const full = records.length >= maxRecords || bytes + record.value.length > maxBytes;
      if (full && records.length > 0) return { records, next };
      records.push(record);
      bytes += record.value.length;
      chunk.taken += 1;
      next.set(chunk.partition, record.position + 1);
    }
  }
  return { records, next };
}

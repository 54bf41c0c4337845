import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { InnerMessage } from 'kafkajs/src/cluster/index.js';
import type { LogRecord } from '../log.port';
import { ownKeyOf } from '../transport/redrive.key';

const EMPTY_VALUE = Buffer.alloc(0);

/** Converts a record of the brokers to one of the log. `topic` without prefix. */
export function recordOf(topic: string, partition: number, message: KafkaMessage): LogRecord {
  const headers = headersOf(message.headers);
  return {
    topic,
    key: ownKeyOf(message.key?.toString() ?? '', headers),
    value: message.value ?? EMPTY_VALUE,
    headers,
    partition,
    position: Number(message.offset),
    appendedAt: Number(message.timestamp),
  };
}

/** What a fetch of one partition brought. */
export interface Fetched {
  partition: number;
  records: LogRecord[];
  /** Where the next fetch begins. */
  next: number;
}

/**
 * Brokers answer with whole batches: one may begin before the position that was asked for, and its last records may
 * have been compacted away. A fetch from behind the last remaining record would get the same batch again, so `next` is
 * behind the whole batch.
 *
 * @param committed `messages` without those of aborted transactions
 */
export function fetchedOf(
  topic: string,
  partition: number,
  from: number,
  messages: readonly InnerMessage[],
  committed = messages,
): Fetched {
  const records = committed
    .filter(({ isControlRecord, offset }) => !isControlRecord && Number(offset) >= from)
    .map((message) => recordOf(topic, partition, message));
  const last = messages.at(-1);
  return { partition, records, next: last ? Math.max(from, positionAfter(last)) : from };
}

function positionAfter({ offset, batchContext }: InnerMessage): number {
  const last = batchContext ? Number(batchContext.firstOffset) + batchContext.lastOffsetDelta : Number(offset);
  return last + 1;
}

/**
 * Headers are bytes on the brokers. Of a header with several values the last counts: for names that every object
 * inherits (`__proto__`, `constructor`), kafkajs puts the inherited value first.
 */
function headersOf(headers: IHeaders | undefined): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    const last = Array.isArray(value) ? value.at(-1) : value;
    const text = last?.toString() ?? '';
    if (name === '__proto__') Object.defineProperty(texts, name, { value: text, enumerable: true });
    else texts[name] = text;
  }
  return texts;
}

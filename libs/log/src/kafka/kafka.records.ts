import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../log.port';

const NONE = Buffer.alloc(0);

/** A record of the brokers as one of the log. `topic` without prefix. */
export function recordOf(topic: string, partition: number, message: KafkaMessage): LogRecord {
  return {
    topic,
    key: message.key?.toString() ?? '',
    value: message.value ?? NONE,
    headers: headersOf(message.headers),
    partition,
    position: Number(message.offset),
    appendedAt: Number(message.timestamp),
  };
}

/** Headers are bytes on the brokers. Of one that is there twice the last counts: kafkajs finds what every object
 * inherits (`__proto__`, `constructor`) there already and puts it first. */
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

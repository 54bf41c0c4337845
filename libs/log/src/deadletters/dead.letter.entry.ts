import type { LogRecord, NewRecord } from '../log.port';
import { ADDED_HEADERS, LEFT_OUT, REDRIVE_GROUP } from '../transport/dead.letter';

/** What was decided about a dead letter; it is no longer open then. */
export const DECISIONS = ['redriven', 'discarded'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Headers of a decision: a record of its own in the topic of the dead letters, after the one that it is about. */
const ABOUT = 'dead-letter';
const DECIDED = 'decision';

/** A dead letter without its content. */
export interface DeadLetterEntry {
  /** `partition:position` in the topic of the dead letters. */
  id: string;
  /** When it died, RFC 3339. */
  at: string;
  origin: { topic: string; partition: number; offset: number };
  /** The consumer group that could not handle it. */
  group: string;
  code: string;
  error: string;
  event: { id: string | null; type: string | null };
  /** Bytes of the value. */
  size: number;
  /** `left_out`: it was too large for a dead letter, and is to be read at its origin alone. */
  content: 'kept' | 'left_out';
}

/** With its content, for those who ask for one. */
export interface DeadLetterContent extends DeadLetterEntry {
  key: string;
  headers: Record<string, string>;
  /** As text where it is UTF-8, else as base64. */
  value: { text: string } | { base64: string };
  decision: Decision | null;
}

/** All given must hold. */
export interface DeadLetterFilter {
  topic?: string;
  group?: string;
  code?: string;
  /** RFC 3339; from here on. */
  since?: string;
  /** RFC 3339; up to here. */
  until?: string;
}

export function idOf({ partition, position }: Pick<LogRecord, 'partition' | 'position'>): string {
  return `${partition}:${position}`;
}

/** Partition and position, undefined where it is no id. */
export function placeOf(id: string): { partition: number; position: number } | undefined {
  const [, partition, position] = /^(\d{1,6}):(\d{1,15})$/.exec(id) ?? [];
  return partition === undefined ? undefined : { partition: Number(partition), position: Number(position) };
}

export function entryOf(record: LogRecord): DeadLetterEntry {
  const { headers } = record;
  return {
    id: idOf(record),
    at: new Date(record.appendedAt).toISOString(),
    origin: {
      topic: headers['origin-topic'] ?? '',
      partition: Number(headers['origin-partition'] ?? -1),
      offset: Number(headers['origin-offset'] ?? -1),
    },
    group: headers.group ?? '',
    code: headers['error-code'] ?? '',
    error: headers.error ?? '',
    event: { id: headers.ce_id ?? null, type: headers.ce_type ?? null },
    size: Number(headers[LEFT_OUT] ?? record.value.length),
    content: headers[LEFT_OUT] === undefined ? 'kept' : 'left_out',
  };
}

export function contentOf(record: LogRecord, decision: Decision | null): DeadLetterContent {
  const text = record.value.toString();
  const isText = Buffer.from(text).equals(record.value);
  return {
    ...entryOf(record),
    key: record.key,
    headers: record.headers,
    value: isText ? { text } : { base64: record.value.toString('base64') },
    decision,
  };
}

/** What a record of the topic decides, undefined for a dead letter. */
export function decisionOf({ headers }: LogRecord): { id: string; decision: Decision } | undefined {
  const decision = DECISIONS.find((one) => one === headers[DECIDED]);
  const id = headers[ABOUT];
  // A dead letter keeps whatever headers the record had.
  return decision && id !== undefined && headers['origin-topic'] === undefined ? { id, decision } : undefined;
}

/**
 * The record of a decision. It has the key of the dead letter and so lies behind it in its partition: retention removes
 * the letter before what was decided about it.
 */
export function decisionRecord(record: LogRecord, decision: Decision): NewRecord {
  const { topic, key } = record;
  return { topic, key, value: '', headers: { [ABOUT]: idOf(record), [DECIDED]: decision } };
}

/**
 * The record as it was, for its topic again. One header is added: the group that it is meant for, so that the others, who
 * have handled it long ago, do not apply what is old by now on top of what came later.
 */
export function originalOf({ key, value, headers }: LogRecord): NewRecord {
  const kept = Object.entries(headers).filter(([name]) => !ADDED_HEADERS.includes(name) && name !== REDRIVE_GROUP);
  const meant: [string, string][] = headers.group === undefined ? [] : [[REDRIVE_GROUP, headers.group]];
  return { topic: headers['origin-topic']!, key, value, headers: Object.fromEntries([...kept, ...meant]) };
}

export function fits({ at, origin, group, code }: DeadLetterEntry, filter: DeadLetterFilter): boolean {
  const equal = (wanted: string | undefined, is: string) => wanted === undefined || wanted === is;
  return (
    equal(filter.topic, origin.topic) &&
    equal(filter.group, group) &&
    equal(filter.code, code) &&
    (filter.since === undefined || Date.parse(at) >= Date.parse(filter.since)) &&
    (filter.until === undefined || Date.parse(at) <= Date.parse(filter.until))
  );
}

import type { LogRecord, NewRecord } from '../log.port';
import { ADDED_HEADERS, LEFT_OUT_HEADER, REDRIVE_GROUP_HEADER } from '../transport/dead.letter';

/** What can be decided about a dead letter; with a decision it is no longer open. */
export const DECISIONS = ['redriven', 'discarded'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Headers of a decision: a record of its own in the topic of the dead letters, after the dead letter that it is about. */
const DEAD_LETTER_ID_HEADER = 'dead-letter';
const DECISION_HEADER = 'decision';

/** A dead letter without its content. */
export interface DeadLetterEntry {
  /** `partition:position` in the topic of the dead letters. */
  id: string;
  /** When the record became a dead letter, RFC 3339. */
  at: string;
  origin: { topic: string; partition: number; offset: number };
  /** The consumer group that could not handle it. */
  group: string;
  code: string;
  error: string;
  event: { id: string | null; type: string | null };
  /** Bytes of the value. */
  size: number;
  /** `left_out`: it was too large for a dead letter, and can only be read at its origin. */
  content: 'kept' | 'left_out';
}

/** A dead letter with its content, for those who ask for one. */
export interface DeadLetterContent extends DeadLetterEntry {
  key: string;
  headers: Record<string, string>;
  /** As text if it is UTF-8, else as base64. */
  value: { text: string } | { base64: string };
  decision: Decision | null;
}

/** Every condition that is given must hold. */
export interface DeadLetterFilter {
  topic?: string;
  group?: string;
  code?: string;
  /** RFC 3339, inclusive. */
  since?: string;
  /** RFC 3339, inclusive. */
  until?: string;
}

export function deadLetterIdOf({ partition, position }: Pick<LogRecord, 'partition' | 'position'>): string {
  return `${partition}:${position}`;
}

/** Partition and position; undefined if `id` is not an id. */
export function parseDeadLetterId(id: string): { partition: number; position: number } | undefined {
  const [, partition, position] = /^(\d{1,6}):(\d{1,15})$/.exec(id) ?? [];
  return partition === undefined ? undefined : { partition: Number(partition), position: Number(position) };
}

export function deadLetterEntryOf(record: LogRecord): DeadLetterEntry {
  const { headers } = record;
  return {
    id: deadLetterIdOf(record),
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
    size: Number(headers[LEFT_OUT_HEADER] ?? record.value.length),
    content: headers[LEFT_OUT_HEADER] === undefined ? 'kept' : 'left_out',
  };
}

export function deadLetterContentOf(record: LogRecord, decision: Decision | null): DeadLetterContent {
  const text = record.value.toString();
  const isText = Buffer.from(text).equals(record.value);
  return {
    ...deadLetterEntryOf(record),
    key: record.key,
    headers: record.headers,
    value: isText ? { text } : { base64: record.value.toString('base64') },
    decision,
  };
}

/** The decision that a record of the topic holds; undefined for a dead letter. */
export function decisionOf({ headers }: LogRecord): { id: string; decision: Decision } | undefined {
  const decision = DECISIONS.find((one) => one === headers[DECISION_HEADER]);
  const id = headers[DEAD_LETTER_ID_HEADER];
  // A dead letter keeps whatever headers its record had, even those of a decision; but only a dead letter has an origin.
  return decision && id !== undefined && headers['origin-topic'] === undefined ? { id, decision } : undefined;
}

/**
 * The record of a decision. It has the key of the dead letter and so lies behind it in the same partition: retention
 * removes the dead letter before the decision about it.
 */
export function decisionRecord(record: LogRecord, decision: Decision): NewRecord {
  const { topic, key } = record;
  return {
    topic,
    key,
    value: '',
    headers: { [DEAD_LETTER_ID_HEADER]: deadLetterIdOf(record), [DECISION_HEADER]: decision },
  };
}

/**
 * The original record, to be put back on its topic. One header is added: the group that it is meant for. The other
 * groups handled it long ago, and must not apply outdated data on top of what came later.
 */
export function originalRecordOf({ key, value, headers }: LogRecord): NewRecord {
  const ownHeaders = Object.entries(headers).filter(
    ([name]) => !ADDED_HEADERS.includes(name) && name !== REDRIVE_GROUP_HEADER,
  );
  const groupHeader: [string, string][] = headers.group === undefined ? [] : [[REDRIVE_GROUP_HEADER, headers.group]];
  return { topic: headers['origin-topic']!, key, value, headers: Object.fromEntries([...ownHeaders, ...groupHeader]) };
}

export function matchesFilter({ at, origin, group, code }: DeadLetterEntry, filter: DeadLetterFilter): boolean {
  const equal = (wanted: string | undefined, is: string) => wanted === undefined || wanted === is;
  return (
    equal(filter.topic, origin.topic) &&
    equal(filter.group, group) &&
    equal(filter.code, code) &&
    (filter.since === undefined || Date.parse(at) >= Date.parse(filter.since)) &&
    (filter.until === undefined || Date.parse(at) <= Date.parse(filter.until))
  );
}

import { isNativeError } from 'node:util/types';
import { EventFault, TOPICS } from '@lettermill/events';
import { bytesOf } from '../log.appends';
import type { LogRecord, NewRecord } from '../log.port';

const MAX_ERROR_CHARS = 1000;
const QUOTED = /"[^"]*"|'[^']*'|«[^»]*»|`[^`]*`/g;
const ADDRESS = /[^\s<>"',;:]+@[^\s<>"',;:]+/g;

/** The headers that `deadLetterOf` adds to those of a record. */
export const ADDED_HEADERS: readonly string[] = [
  'origin-topic',
  'origin-partition',
  'origin-offset',
  'group',
  'error-code',
  'error',
];

/** Header of a dead letter that was too large with its content. */
export const LEFT_OUT_HEADER = 'content-left-out';

/** Header of a record that was put back from the dead letters: the one group that it is meant for. */
export const REDRIVE_GROUP_HEADER = 'redrive-group';

/** A record that cannot be handled, and why. */
export interface DeadRecord {
  record: LogRecord;
  error: unknown;
}

/** A stable name for what went wrong: the error's own code, or `handler_failed`. */
export function deadLetterCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.length > 0 ? code.slice(0, 100) : 'handler_failed';
}

/**
 * What went wrong, at most 1,000 characters, without content of the record: a JSON parser quotes what it read, so its
 * text is left out; quoted pieces that occur in the value and anything like an address are masked.
 */
function deadLetterText(error: unknown, value: Buffer): string {
  if (error instanceof EventFault && error.code === 'event_not_json') return 'the value is not JSON';
  if (!isNativeError(error)) return 'something that is no error was thrown';
  if (error.name === 'SyntaxError') return 'SyntaxError';
  const masked = error.message
    .replace(QUOTED, (piece) => (piece.length > 2 && value.includes(piece.slice(1, -1)) ? '…' : piece))
    .replace(ADDRESS, '…');
  return `${error.name}: ${masked}`.slice(0, MAX_ERROR_CHARS);
}

/** The record as it goes to the dead letters (ADR 16): key, value and headers kept, the origin and the error added. */
export function deadLetterOf({ record, error }: DeadRecord, group: string): NewRecord {
  return {
    topic: TOPICS.deadLetter,
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      'origin-topic': record.topic,
      'origin-partition': String(record.partition),
      'origin-offset': String(record.position),
      group,
      'error-code': deadLetterCode(error),
      error: deadLetterText(error, record.value),
    },
  };
}

/**
 * A dead letter that is larger than the log takes, without the key, value and headers of its record: those can be read
 * at its origin for as long as that topic keeps them. `content-left-out` says how many bytes the value has.
 */
export function withoutContent({ topic, value, headers }: NewRecord): NewRecord {
  const added = Object.entries(headers ?? {}).filter(([name]) => ADDED_HEADERS.includes(name));
  return {
    topic,
    key: '',
    value: '',
    headers: { ...Object.fromEntries(added), [LEFT_OUT_HEADER]: String(bytesOf(value)) },
  };
}

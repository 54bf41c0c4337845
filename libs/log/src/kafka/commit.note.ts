import type { LogRecord } from '../log.port';

/** Bytes; brokers take 4 KiB (`offset.metadata.max.bytes`). */
const MAX_NOTE_CHARS = 1_000;

/**
 * What a group notes beside the position that it commits: the last record before it, so that whoever reads on can tell
 * whether that record is still there.
 */
export interface CommitNote {
  /** The committed position itself: tools that copy notes to another cluster commit another position there. */
  next: number;
  position: number;
  /** Of the event. */
  id: string;
  /** When the record was appended, milliseconds since the epoch. */
  at: number;
  /** Of the leader that appended it. */
  epoch: number;
}

/** A committed position, and the text beside it. */
export interface Commit {
  offset: number;
  metadata: string | null;
}

/** Undefined for a record that has no id by which it could be known again. */
export function noteText({ position, headers, appendedAt }: LogRecord, next: number, epoch = -1): string | undefined {
  const id = headers.ce_id;
  if (!id) return undefined;
  const note: CommitNote = { next, position, id, at: appendedAt, epoch };
  const text = JSON.stringify(note);
  return text.length <= MAX_NOTE_CHARS ? text : undefined;
}

/** Undefined if there is none: an older version committed, or a tool. */
export function noteOf({ offset, metadata }: Commit): CommitNote | undefined {
  if (!metadata?.startsWith('{')) return undefined;
  try {
    const { next, position, id, at, epoch } = JSON.parse(metadata) as Partial<CommitNote>;
    const areNumbers = [position, at, epoch].every(Number.isFinite);
    if (next !== offset || !areNumbers || typeof id !== 'string') return undefined;
    return { next, position: position!, id, at: at!, epoch: epoch! };
  } catch {
    return undefined;
  }
}

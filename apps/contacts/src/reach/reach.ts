import { TOPICS } from '@lettermill/events';

/** The last record of a partition of `message-requested` that the contacts have applied. */
export interface Reached {
  partition: number;
  position: number;
  /** Of the event that lies there. */
  eventId: string;
}

/** A partition that the store has come further in than the log, or whose log is another one. */
export interface Ahead {
  partition: number;
  /** Position that was applied last. */
  applied: number;
  /** Position that the next record will have. */
  end: number;
}

/** What lies at the positions that were reached, by partition; where retention has removed it there is nothing. */
export type Found = ReadonlyMap<number, { position: number; eventId: string | undefined }>;

/** The furthest of each partition, by partition. */
export function furthest(all: Reached[]): Reached[] {
  const by = new Map<number, Reached>();
  for (const one of all) {
    const before = by.get(one.partition);
    if (!before || one.position > before.position) by.set(one.partition, one);
  }
  return [...by.values()].sort((one, other) => one.partition - other.partition);
}

/**
 * Where the log is an older state of the one that was applied, or another one: it ends before what was applied (a partition that it has
 * not ends at 0), or another record lies there. Retention moves the beginning alone, and tells nothing.
 *
 * @param ends position after the last record, by partition
 */
export function aheadOf(reached: Reached[], ends: ReadonlyMap<number, number>, found: Found = new Map()): Ahead[] {
  return furthest(reached).flatMap(({ partition, position, eventId }) => {
    const end = ends.get(partition) ?? 0;
    const there = found.get(partition);
    const another = there?.position === position && there.eventId !== eventId;
    return position >= end || another ? [{ partition, applied: position, end }] : [];
  });
}

/** Going on would take new records for known ones: their data would be lost, and who is suppressed written to. */
export class StoreAheadOfLog extends Error {
  readonly code = 'store_ahead_of_log';

  constructor(readonly partitions: Ahead[]) {
    super(
      `The contacts have applied records of ${TOPICS.messageRequested} that are not on the log: ` +
        `${partitions.map(told).join('; ')}. It is another log than theirs, or an older state of it. ` +
        'What to do: docs/backup.md, «A store ahead of its log».',
    );
  }
}

function told({ partition, applied, end }: Ahead): string {
  const has = applied >= end ? `its log ends at ${end}` : `another record lies there (its log ends at ${end})`;
  return `partition ${partition} was applied up to position ${applied}, ${has}`;
}

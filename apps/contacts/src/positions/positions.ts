import { partitionAt, type Partition, type Place } from './record.place';

/** The last record of a partition that contacts has applied. */
export interface AppliedPosition {
  place: Place;
  position: number;
  /** Id of the event at this position. */
  eventId: string;
}

/** A partition in which the store has come further than the log, or whose log is a different one. */
export interface PartitionAhead extends Partition {
  /** Last position applied. */
  applied: number;
  /** Position that the next record will have. */
  end: number;
}

/** The records found at the positions applied; none where retention has removed them. */
export type RecordsFound = ReadonlyMap<Place, { position: number; eventId: string | undefined }>;

/** The furthest position of each partition, ordered by partition. */
export function furthestByPlace(all: AppliedPosition[]): AppliedPosition[] {
  const by = new Map<Place, AppliedPosition>();
  for (const one of all) {
    const before = by.get(one.place);
    if (!before || one.position > before.position) by.set(one.place, one);
  }
  return [...by.values()].sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/**
 * The partitions in which the log is a different one, or an older state of the one applied: it ends before the position applied (a
 * partition that it does not have ends at 0), or has another record there. Retention moves only the beginning of a log, so it is no sign of
 * this.
 *
 * @param ends position after the last record of each partition
 */
export function partitionsAhead(
  applied: AppliedPosition[],
  ends: ReadonlyMap<Place, number>,
  found: RecordsFound = new Map(),
): PartitionAhead[] {
  return furthestByPlace(applied).flatMap(({ place, position, eventId }) => {
    const end = ends.get(place) ?? 0;
    const there = found.get(place);
    const another = there?.position === position && there.eventId !== eventId;
    return position >= end || another ? [{ ...partitionAt(place), applied: position, end }] : [];
  });
}

/** To continue would treat new records as known ones: their data would be lost, and mails would go to suppressed addresses. */
export class StoreAheadOfLog extends Error {
  readonly code = 'store_ahead_of_log';

  constructor(readonly partitions: PartitionAhead[]) {
    super(
      'Contacts has applied records that are not on the log: ' +
        `${partitions.map(describeAhead).join('; ')}. This is a different log, or an older state of it. ` +
        'What to do: docs/backup.md, «A store ahead of its log».',
    );
  }
}

function describeAhead({ topic, partition, applied, end }: PartitionAhead): string {
  const has = applied >= end ? `its log ends at ${end}` : `another record lies there (its log ends at ${end})`;
  return `partition ${partition} of ${topic} was applied up to position ${applied}, ${has}`;
}

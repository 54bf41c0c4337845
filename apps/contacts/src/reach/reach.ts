import { partitionAt, type Partition, type Place } from './record.place';

/** The last record of a partition that the contacts have applied. */
export interface Reached {
  place: Place;
  position: number;
  /** Of the event that lies there. */
  eventId: string;
}

/** A partition that the store has come further in than the log, or whose log is another one. */
export interface Ahead extends Partition {
  /** Position that was applied last. */
  applied: number;
  /** Position that the next record will have. */
  end: number;
}

/** What lies at the positions that were reached; where retention has removed it there is nothing. */
export type Found = ReadonlyMap<Place, { position: number; eventId: string | undefined }>;

/** The furthest of each partition, in their order. */
export function furthest(all: Reached[]): Reached[] {
  const by = new Map<Place, Reached>();
  for (const one of all) {
    const before = by.get(one.place);
    if (!before || one.position > before.position) by.set(one.place, one);
  }
  return [...by.values()].sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/**
 * Where the log is an older state of the one that was applied, or another one: it ends before what was applied (a partition that it has
 * not ends at 0), or another record lies there. Retention moves the beginning alone, and tells nothing.
 *
 * @param ends position after the last record of each partition
 */
export function aheadOf(reached: Reached[], ends: ReadonlyMap<Place, number>, found: Found = new Map()): Ahead[] {
  return furthest(reached).flatMap(({ place, position, eventId }) => {
    const end = ends.get(place) ?? 0;
    const there = found.get(place);
    const another = there?.position === position && there.eventId !== eventId;
    return position >= end || another ? [{ ...partitionAt(place), applied: position, end }] : [];
  });
}

/** Going on would take new records for known ones: their data would be lost, and who is suppressed written to. */
export class StoreAheadOfLog extends Error {
  readonly code = 'store_ahead_of_log';

  constructor(readonly partitions: Ahead[]) {
    super(
      'Contacts has applied records that are not on the log: ' +
        `${partitions.map(told).join('; ')}. This is a different log, or an older state of it. ` +
        'What to do: docs/backup.md, «A store ahead of its log».',
    );
  }
}

function told({ topic, partition, applied, end }: Ahead): string {
  const has = applied >= end ? `its log ends at ${end}` : `another record lies there (its log ends at ${end})`;
  return `partition ${partition} of ${topic} was applied up to position ${applied}, ${has}`;
}

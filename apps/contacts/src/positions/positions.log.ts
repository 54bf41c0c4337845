import { TOPICS, topicsOf } from '@lettermill/events';
import type { EventLog } from '@lettermill/log';
import {
  furthestByPlace,
  partitionsAhead,
  type PartitionAhead,
  type RecordsFound,
  type AppliedPosition,
} from './positions';
import { partitionAt, placeOf, type Place } from './record.place';

const GROUP = 'contacts';

type ReadableLog = Pick<EventLog, 'positions' | 'read'>;

/** Position after the last record of each partition. Rejects with `LogUnavailable`. */
async function endsOf(log: Pick<ReadableLog, 'positions'>): Promise<Map<Place, number>> {
  const positions = await log.positions(GROUP, topicsOf(TOPICS.messageRequested));
  return new Map(positions.map((one) => [placeOf(one), one.end]));
}

/**
 * The partitions, each once, in which the log is not the one that the store says was applied. Ends alone do not show that: another log may
 * have grown as long meanwhile.
 *
 * @param compared the partitions whose records are compared, too, as each takes a request; default all
 */
export async function partitionsOfOtherLog(
  log: ReadableLog,
  applied: AppliedPosition[],
  compared?: ReadonlySet<Place>,
): Promise<PartitionAhead[]> {
  const ends = await endsOf(log);
  const furthest = furthestByPlace(applied).filter(({ place }) => compared?.has(place) ?? true);
  return partitionsAhead(applied, ends, await recordsAt(log, furthest, ends));
}

/** The first record still on the log at or after each of these positions, if the log goes that far. */
async function recordsAt(
  log: Pick<ReadableLog, 'read'>,
  applied: AppliedPosition[],
  ends: ReadonlyMap<Place, number>,
): Promise<RecordsFound> {
  const found = new Map<Place, { position: number; eventId: string | undefined }>();
  for (const { place, position } of applied) {
    if (position >= (ends.get(place) ?? 0)) continue;
    const { topic, partition } = partitionAt(place);
    const [record] = await log.read(topic, partition, position, 1);
    if (record) found.set(place, { position: record.position, eventId: record.headers.ce_id });
  }
  return found;
}

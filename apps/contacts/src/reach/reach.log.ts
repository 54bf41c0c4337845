import { TOPICS } from '@lettermill/events';
import type { EventLog } from '@lettermill/log';
import { aheadOf, type Ahead, type Found, type Reached } from './reach';

const TOPIC = TOPICS.messageRequested;
const GROUP = 'contacts';

type Asked = Pick<EventLog, 'positions' | 'read'>;

/** Position after the last record, by partition. Rejects with `LogUnavailable`. */
export async function endsOf(log: Pick<Asked, 'positions'>): Promise<Map<number, number>> {
  const positions = await log.positions(GROUP, [TOPIC]);
  return new Map(positions.map(({ partition, end }) => [partition, end]));
}

/**
 * Where the log is not the one that was applied, as the store tells it, each partition once: beside the ends, another log may have come as
 * far while nobody looked.
 */
export async function strangeIn(log: Asked, reached: Reached[]): Promise<Ahead[]> {
  const ends = await endsOf(log);
  return aheadOf(reached, ends, await foundAt(log, reached, ends));
}

/** The first kept record at or after each of these, where the log goes so far. */
async function foundAt(
  log: Pick<Asked, 'read'>,
  reached: Reached[],
  ends: ReadonlyMap<number, number>,
): Promise<Found> {
  const found = new Map<number, { position: number; eventId: string | undefined }>();
  for (const { partition, position } of reached) {
    if (position >= (ends.get(partition) ?? 0)) continue;
    const [record] = await log.read(TOPIC, partition, position, 1);
    if (record) found.set(partition, { position: record.position, eventId: record.headers.ce_id });
  }
  return found;
}

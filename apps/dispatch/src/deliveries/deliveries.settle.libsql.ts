import type { SqlDatabase, SqlStep } from '@lettermill/storage';
import {
  batchOf,
  DROP_CONTENTS,
  GIVE_BACK,
  KEEP_DOUBT,
  KEEP_REST,
  RECORDED,
  restText,
  SETTLE,
  TELL,
} from './deliveries.batches.libsql';
import { keyOf, standing } from './deliveries.claims.libsql';
import type { Settlement, StoredEvent } from './deliveries.store';
import { contentGoes } from './delivery';

type Told = Settlement & { event: StoredEvent };

/** Resolves, per settlement, to whether it is recorded, that is, whether its claim still stood. */
export async function recordSettlements(database: SqlDatabase, settlements: Settlement[]): Promise<boolean[]> {
  if (settlements.length === 0) return [];
  const told = settlements.flatMap(({ event, ...one }) => (event ? [{ ...one, event }] : []));
  const givenBack = settlements.filter(({ event }) => !event);
  const gone = told.filter(contentGoes);
  const [, freed, , , known] = await database.write([
    {
      sql: SETTLE,
      rows: batchOf(told, ({ claim, next, event }) => [
        ...standing(claim),
        ...[next.state, next.attempts, next.dueAt, event.id],
      ]),
    },
    {
      sql: GIVE_BACK,
      rows: givenBack.map(({ claim, next }) => [
        ...[next.state, next.attempts, next.dueAt],
        ...[...standing(claim), claim.claimedAt],
      ]),
    },
    // Only for deliveries whose state was changed above: a process that is fenced out announces nothing either.
    { sql: TELL, rows: batchOf(told, ({ claim, event }) => [...keyOf(claim), event.id, event.json]) },
    { sql: DROP_CONTENTS, rows: batchOf(gone, ({ claim, event }) => [...keyOf(claim), event.id]) },
    { sql: RECORDED, rows: batchOf(told, ({ claim, event }) => [...keyOf(claim), event.id]) },
    ...restSteps(told),
    ...doubtSteps(told),
  ]);
  const recorded = new Set(known!.rows.map((row) => row.last_event));
  let back = 0;
  return settlements.map(({ event }) => (event ? recorded.has(event.id) : freed!.changes[back++] === 1));
}

/** Almost always none: few deliveries have recipients left over. */
function restSteps(told: Told[]): SqlStep[] {
  const parted = told.filter(({ next }) => next.rest !== undefined);
  const rows = batchOf(parted, ({ claim, next, event }) => [...keyOf(claim), event.id, restText(next)]);
  return rows.length > 0 ? [{ sql: KEEP_REST, rows }] : [];
}

/** Almost always none: few attempts have an unknown outcome. */
function doubtSteps(told: Told[]): SqlStep[] {
  const doubted = told.filter(({ next }) => next.mayHaveArrived !== undefined);
  const rows = batchOf(doubted, ({ claim, next, event }) => [
    ...keyOf(claim),
    event.id,
    next.mayHaveArrived ? 1 : null,
  ]);
  return rows.length > 0 ? [{ sql: KEEP_DOUBT, rows }] : [];
}

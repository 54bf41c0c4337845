import type { SqlDatabase, SqlStep } from '@lettermill/storage';
import {
  batchOf,
  DELETE_CONTENTS,
  GIVE_BACK,
  UPDATE_MAY_HAVE_ARRIVED,
  UPDATE_REST,
  SELECT_RECORDED,
  restText,
  SETTLE,
  INSERT_OUTCOMES,
} from './deliveries.batches.libsql';
import { keyOf, claimParameters } from './deliveries.claims.libsql';
import type { Settlement, StoredEvent } from './deliveries.store';
import { isContentObsolete } from '../lifecycle/delivery';

type ReportedSettlement = Settlement & { event: StoredEvent };

/** Resolves, per settlement, to whether it is recorded, that is, whether its claim still stood. */
export async function recordSettlements(database: SqlDatabase, settlements: Settlement[]): Promise<boolean[]> {
  if (settlements.length === 0) return [];
  const reported = settlements.flatMap(({ event, ...one }) => (event ? [{ ...one, event }] : []));
  const givenBack = settlements.filter(({ event }) => !event);
  const obsolete = reported.filter(isContentObsolete);
  const [, freed, , , known] = await database.write([
    {
      sql: SETTLE,
      rows: batchOf(reported, ({ claim, next, event }) => [
        ...claimParameters(claim),
        next.state,
        next.attempts,
        next.dueAt,
        event.id,
      ]),
    },
    {
      sql: GIVE_BACK,
      rows: givenBack.map(({ claim, next }) => [
        next.state,
        next.attempts,
        next.dueAt,
        ...claimParameters(claim),
        claim.claimedAt,
      ]),
    },
    // Only for deliveries whose state was changed above: a process that is fenced out announces nothing either.
    { sql: INSERT_OUTCOMES, rows: batchOf(reported, ({ claim, event }) => [...keyOf(claim), event.id, event.json]) },
    { sql: DELETE_CONTENTS, rows: batchOf(obsolete, ({ claim, event }) => [...keyOf(claim), event.id]) },
    { sql: SELECT_RECORDED, rows: batchOf(reported, ({ claim, event }) => [...keyOf(claim), event.id]) },
    ...rareSteps(reported),
  ]);
  const recorded = new Set(known!.rows.map((row) => row.last_event));
  let back = 0;
  return settlements.map(({ event }) => (event ? recorded.has(event.id) : freed!.changes[back++] === 1));
}

/** Almost always none: few deliveries have recipients left over, or an attempt of unknown outcome. */
function rareSteps(reported: ReportedSettlement[]): SqlStep[] {
  const parted = reported.filter(({ next }) => next.rest !== undefined);
  const doubted = reported.filter(({ next }) => next.mayHaveArrived !== undefined);
  const rowOf = ({ claim, event }: ReportedSettlement, value: string | number | null) => [
    ...keyOf(claim),
    event.id,
    value,
  ];
  const steps = [
    { sql: UPDATE_REST, rows: batchOf(parted, (one) => rowOf(one, restText(one.next))) },
    { sql: UPDATE_MAY_HAVE_ARRIVED, rows: batchOf(doubted, (one) => rowOf(one, one.next.mayHaveArrived ? 1 : null)) },
  ];
  return steps.filter(({ rows }) => rows.length > 0);
}

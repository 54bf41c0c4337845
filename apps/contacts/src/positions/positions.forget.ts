import { retryWhileUnavailable } from '@lettermill/concurrency';
import type { EventLog } from '@lettermill/log';
import type { PartitionAhead } from './positions';
import { partitionsOfOtherLog } from './positions.log';
import type { PositionsStore } from './positions.store';

/** For some seconds after their start, brokers report that they do not know the coordinator of a group. */
const FORGET_TIMEOUT_MS = 60_000;

/** The log has everything that contacts applied: forgetting the positions would apply the records on it a second time. */
export class StoreNotAhead extends Error {
  readonly code = 'store_not_ahead';

  constructor() {
    super('The log has all that the contacts have applied: there is nothing to forget, and nothing was changed.');
  }
}

/**
 * Makes contacts treat the log as one that it has never read. Resolves to the partitions in which the log was not the one applied. No
 * contacts service may be running. Rejects with `StoreNotAhead`, or with the error of log or store if they are unavailable for a minute. If
 * interrupted, run it again: the furthest positions, without which it would refuse to run, are forgotten last.
 */
export async function forgetPositions(
  log: Pick<EventLog, 'positions' | 'read'>,
  contacts: { forgetApplied(): Promise<void> },
  store: PositionsStore,
): Promise<PartitionAhead[]> {
  const timeout = AbortSignal.timeout(FORGET_TIMEOUT_MS);
  const ahead = await retryWhileUnavailable(async () => partitionsOfOtherLog(log, await store.load()), timeout);
  if (ahead.length === 0) throw new StoreNotAhead();
  await retryWhileUnavailable(() => contacts.forgetApplied(), timeout);
  await retryWhileUnavailable(() => store.forget(), timeout);
  return ahead;
}

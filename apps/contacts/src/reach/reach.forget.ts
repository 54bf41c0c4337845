import { whileAway } from '@lettermill/concurrency';
import type { EventLog } from '@lettermill/log';
import type { ContactsStore } from '../resolve/contacts.store';
import type { Ahead } from './reach';
import { strangeIn } from './reach.log';
import type { ReachStore } from './reach.store';

/** Brokers that have just started say for some seconds that they do not know who keeps the positions of a group. */
const PATIENCE_MS = 60_000;

/** The log has all that was applied: to forget it would apply again what is there. */
export class StoreNotAhead extends Error {
  readonly code = 'store_not_ahead';

  constructor() {
    super('The log has all that the contacts have applied: there is nothing to forget, and nothing was changed.');
  }
}

/**
 * The contacts take the log as one that they have never read; answers where it was not theirs. No contacts service may run. Rejects with
 * `StoreNotAhead`, and as log or store do where they are away for a minute. Cut short, it is to be run again: what makes it possible is
 * forgotten last.
 */
export async function forgetPositions(
  log: Pick<EventLog, 'positions' | 'read'>,
  contacts: Pick<ContactsStore, 'forgetApplied'>,
  reach: ReachStore,
): Promise<Ahead[]> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const ahead = await whileAway(async () => strangeIn(log, await reach.load()), patience);
  if (ahead.length === 0) throw new StoreNotAhead();
  await whileAway(() => contacts.forgetApplied(), patience);
  await whileAway(() => reach.forget(), patience);
  return ahead;
}

import type { EventLog } from '@lettermill/log';
import type { ContactsStore } from '../resolve/contacts.store';
import type { Ahead } from './reach';
import { strangeIn } from './reach.log';
import type { ReachStore } from './reach.store';

/** The log has all that was applied: to forget it would apply again what is there. */
export class StoreNotAhead extends Error {
  readonly code = 'store_not_ahead';

  constructor() {
    super('The log has all that the contacts have applied: there is nothing to forget, and nothing was changed.');
  }
}

/**
 * The contacts take the log as one that they have never read; answers where it was not theirs. No contacts service may run. Rejects with
 * `StoreNotAhead`. Cut short, it is to be run again: what makes it possible is forgotten last.
 */
export async function forgetPositions(
  log: Pick<EventLog, 'positions' | 'read'>,
  contacts: Pick<ContactsStore, 'forgetApplied'>,
  reach: ReachStore,
): Promise<Ahead[]> {
  const ahead = await strangeIn(log, await reach.load());
  if (ahead.length === 0) throw new StoreNotAhead();
  await contacts.forgetApplied();
  await reach.forget();
  return ahead;
}

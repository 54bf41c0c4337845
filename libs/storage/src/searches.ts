import { Slots } from '@lettermill/concurrency';
import { StoreUnavailable } from './faults';

/** More searches wait here, where they can still be dropped. */
const MAX_CONCURRENT_SEARCHES = 4;
/** By then the gateway has already answered that the client may try again. */
const QUEUE_TIMEOUT_MS = 10_000;

/** Lets a store run only a few searches over many rows at a time, so that it always has room for what mails wait for. */
export class Searches {
  private readonly slots = new Slots(MAX_CONCURRENT_SEARCHES);

  /** Rejects with `StoreUnavailable` when earlier searches took so long that nobody waits for this one any more. */
  run<T>(search: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + QUEUE_TIMEOUT_MS;
    return this.slots.run(() => {
      if (performance.now() > deadline)
        return Promise.reject(new StoreUnavailable('the searches before it took too long'));
      return search();
    });
  }
}

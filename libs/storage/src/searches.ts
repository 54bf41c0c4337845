import { Slots } from '@lettermill/concurrency';
import { StoreUnavailable } from './faults';

/** More searches wait here, where they can still be dropped. */
const AT_ONCE = 4;
/** By then the gateway has already answered that the client may try again. */
const PATIENCE_MS = 10_000;

/** Lets a store run only a few searches over many rows at a time, so that it always has room for what mails wait for. */
export class Searches {
  private readonly slots = new Slots(AT_ONCE);

  /** Rejects with `StoreUnavailable` when earlier searches took so long that nobody waits for this one any more. */
  run<T>(search: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    return this.slots.run(() => {
      if (performance.now() > until)
        return Promise.reject(new StoreUnavailable('the searches before it took too long'));
      return search();
    });
  }
}

import { Slots } from '@lettermill/concurrency';
import { StoreUnavailable } from './faults';

/** The others wait here, where they can still be dropped. */
const AT_ONCE = 4;
/** By then the gateway has answered that it may be asked again. */
const PATIENCE_MS = 10_000;

/** Lets a few searches that may go along many rows at a store at a time: however many there are, it has room for what mails wait for. */
export class Searches {
  private readonly slots = new Slots(AT_ONCE);

  /** Rejects with `StoreUnavailable` where others before it took so long that nobody waits for it any more. */
  run<T>(search: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    return this.slots.run(() => {
      if (performance.now() > until)
        return Promise.reject(new StoreUnavailable('the searches before it took too long'));
      return search();
    });
  }
}

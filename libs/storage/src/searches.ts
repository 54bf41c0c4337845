import { Slots } from '@lettermill/concurrency';
import { StoreUnavailable } from './faults';

/** The gateway waits 10 s for an answer: a search that begins later than this would be done for nobody, and delay the next ones. */
const MAX_WAIT_MS = 5_000;

/** Lets a store run only so many searches over many rows at a time; the others wait here, where they can still be dropped. */
export class Searches {
  private readonly slots: Slots;

  constructor(maxConcurrent: number) {
    this.slots = new Slots(maxConcurrent);
  }

  /** Rejects with `StoreUnavailable` when earlier searches took so long that nobody would wait for this one any more. */
  run<T>(search: () => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(new StoreUnavailable('the searches before it took too long'));
    const timer = setTimeout(giveUp, MAX_WAIT_MS);
    const begin = () => {
      clearTimeout(timer);
      return search();
    };
    return this.slots.run(begin, waiting.signal);
  }
}

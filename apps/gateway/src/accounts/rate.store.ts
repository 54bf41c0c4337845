import type { Config } from '@lettermill/config';
import type { MigratedStore } from '@lettermill/storage';

/** So many requests in so many seconds. */
export type RateWindow = NonNullable<Config['rateLimit']>;

export interface RateCount {
  /** The number of the request within its window, from 1; infinite if the window was used up and the request was not counted. */
  place: number;
  msBeforeNext: number;
}

/** Counts the requests of each account. A window begins with the first request after the previous one has ended. */
export interface RateStore extends MigratedStore {
  /** Counts one request. Rejects with `StoreUnavailable`. Returns synchronously if nothing has to be called for it. */
  count(accountId: string, window: RateWindow, now: number): RateCount | Promise<RateCount>;
}

export const RATE_STORE = Symbol('RateStore');

import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import { RATE_STORE, type RateCount, type RateStore } from './rate.store';

export interface Allowance {
  allowed: boolean;
  headers: Record<string, string>;
}

const UNLIMITED: Allowance = { allowed: true, headers: {} };

/** Limits requests per account and window, over all gateways together (contract: 429 headers; docs/send.md 14). */
@Injectable()
export class RateLimit {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(RATE_STORE) private readonly store: RateStore,
  ) {}

  /** Takes one request from the account's window. Rejects with `StoreUnavailable`. Returns synchronously if no store has to be called. */
  take(accountId: string): Allowance | Promise<Allowance> {
    const { rateLimit } = this.config;
    if (!rateLimit) return UNLIMITED;
    const counted = this.store.count(accountId, rateLimit, this.now());
    if (counted instanceof Promise) return counted.then((mine) => this.answer(rateLimit.requests, mine));
    return this.answer(rateLimit.requests, counted);
  }

  private answer(limit: number, { place, msBeforeNext }: RateCount): Allowance {
    const allowed = place <= limit;
    const headers: Record<string, string> = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - place)),
      'x-ratelimit-reset': String(Math.ceil((this.now() + msBeforeNext) / 1000)),
    };
    if (!allowed) headers['retry-after'] = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    return { allowed, headers };
  }
}

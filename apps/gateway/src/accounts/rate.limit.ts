import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface Allowance {
  allowed: boolean;
  headers: Record<string, string>;
}

/** Requests per account and window (contract: 429 headers; design 4.14). */
@Injectable()
export class RateLimit {
  private readonly limiter: RateLimiterMemory | null;
  private readonly limit: number;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {
    const { rateLimit } = config;
    this.limit = rateLimit?.requests ?? 0;
    this.limiter = rateLimit && new RateLimiterMemory({ points: rateLimit.requests, duration: rateLimit.seconds });
  }

  /** Takes one request from the account's window. */
  async take(accountId: string): Promise<Allowance> {
    if (!this.limiter) return { allowed: true, headers: {} };
    try {
      return this.answer(await this.limiter.consume(accountId), true);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return this.answer(refused, false);
      throw refused;
    }
  }

  private answer({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): Allowance {
    const headers: Record<string, string> = {
      'x-ratelimit-limit': String(this.limit),
      'x-ratelimit-remaining': String(Math.max(0, remainingPoints)),
      'x-ratelimit-reset': String(Math.ceil((this.now() + msBeforeNext) / 1000)),
    };
    if (!allowed) headers['retry-after'] = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    return { allowed, headers };
  }
}

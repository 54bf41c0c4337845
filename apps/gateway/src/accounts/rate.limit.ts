import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Batcher } from '@lettermill/concurrency';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { STORAGE, type Storage } from '@lettermill/storage';
import { MemoryRateLimiter } from './rate.limiter.memory';
import { MongoRateLimiter, type Counted } from './rate.limiter.mongoose';

export interface Allowance {
  allowed: boolean;
  headers: Record<string, string>;
}

/** The number of a request within its window, from 1; infinite if the window is used up and only its end is known. */
interface Place {
  place: number;
  msBeforeNext: number;
}

const UNLIMITED: Allowance = { allowed: true, headers: {} };

type Limiter = MemoryRateLimiter | MongoRateLimiter;

/** Counts requests per account and window, over all gateways together (contract: 429 headers; docs/send.md 14). */
@Injectable()
export class RateLimit implements OnModuleInit {
  private readonly limiter: Limiter | null;
  private readonly limit: number;
  /** Requests that arrive while the shared counter is being called are counted together in the next call. */
  private readonly asking = new Batcher<string, Place>((accounts) => this.placesOf(accounts));

  constructor(
    @Inject(CONFIG) { rateLimit }: Config,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(STORAGE) storage: Storage,
  ) {
    this.limit = rateLimit?.requests ?? 0;
    const window = rateLimit && { points: rateLimit.requests, duration: rateLimit.seconds };
    this.limiter = window && limiterOn(storage, window, now);
  }

  async onModuleInit(): Promise<void> {
    if (this.limiter instanceof MongoRateLimiter) await this.limiter.migrate();
  }

  /** Takes one request from the account's window. Rejects with `StoreUnavailable`. Returns synchronously if no store has to be called. */
  take(accountId: string): Allowance | Promise<Allowance> {
    const { limiter } = this;
    if (!limiter) return UNLIMITED;
    if (limiter instanceof MemoryRateLimiter) return this.answer(placeIn(limiter.consume(accountId, 1)));
    return this.asking.add(accountId).then((mine) => this.answer(mine));
  }

  private answer({ place, msBeforeNext }: Place): Allowance {
    const allowed = place <= this.limit;
    const headers: Record<string, string> = {
      'x-ratelimit-limit': String(this.limit),
      'x-ratelimit-remaining': String(Math.max(0, this.limit - place)),
      'x-ratelimit-reset': String(Math.ceil((this.now() + msBeforeNext) / 1000)),
    };
    if (!allowed) headers['retry-after'] = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    return { allowed, headers };
  }

  private async placesOf(accounts: string[]): Promise<Place[]> {
    const counts = new Map<string, number>();
    for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1);
    const asked = [...counts].map(async ([account, count]): Promise<[string, Place]> => {
      const { place, msBeforeNext } = placeIn(await this.limiter!.consume(account, count));
      return [account, { place: place - count, msBeforeNext }];
    });
    const before = new Map(await Promise.all(asked));
    return accounts.map((account) => {
      const last = before.get(account)!;
      last.place += 1;
      return { ...last };
    });
  }
}

function limiterOn({ kind, database }: Storage, window: { points: number; duration: number }, now: Clock): Limiter {
  return kind === 'mongoose'
    ? new MongoRateLimiter(database, window, now)
    : new MemoryRateLimiter(window.duration, now);
}

function placeIn({ consumedPoints, msBeforeNext }: Counted): Place {
  return { place: consumedPoints, msBeforeNext };
}

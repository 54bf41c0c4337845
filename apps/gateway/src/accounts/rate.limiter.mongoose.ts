import type { Clock } from '@lettermill/runtime';
import {
  isDuplicateKey,
  migrateMongo,
  modelOf,
  storeFaultOf,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';

/** A counter may be lost with its primary: one member's acknowledgement is enough, and a request does not wait for the others. */
const CONCERN = { w: 1 };

/** The window of an account; `_id` is the account id. */
interface RateDocument {
  _id: string;
  points: number;
  /** When the window ends. */
  expire: Date;
}

/** `msBeforeNext` is the rest of the window; `consumedPoints` is infinite if the window was used up and the request was not counted. */
export interface Counted {
  consumedPoints: number;
  msBeforeNext: number;
}

/** Runs even if this process has no rate limit: another gateway may have one. */
export function migrateRates(connection: MongoConnection): Promise<void> {
  const expiry = { name: 'gateway_rates_expiry', key: { expire: 1 as const }, expireAfterSeconds: 0 };
  return migrateMongo(connection, 'gateway.rates', [{ name: '1-rates', indexes: { gateway_rates: [expiry] } }]);
}

/**
 * Counters that all gateways share, exact to the request: one single write either adds to a window or begins the next one.
 * (RateLimiterMongo takes up to three writes, and upserts, which some servers do not isolate from each other when they run at the same
 * time.) Clocks that differ shift the end of a window, never its count. The server removes windows that are over.
 */
export class MongoRateLimiter {
  private readonly rates: StoreModel<RateDocument>;
  /** Accounts that have used up their window, and when it ends: until then they cost no call. */
  private readonly usedUp = new Map<string, number>();

  constructor(
    private readonly connection: MongoConnection,
    private readonly window: { points: number; duration: number },
    private readonly now: Clock,
  ) {
    this.rates = modelOf<RateDocument>(connection, 'gateway_rates', {
      _id: { type: String, required: true },
      ...{ points: Number, expire: Date },
    });
  }

  migrate(): Promise<void> {
    return migrateRates(this.connection);
  }

  /** Counts `points` requests of the account. Rejects with `StoreUnavailable`. */
  async consume(accountId: string, points: number): Promise<Counted> {
    const shut = (this.usedUp.get(accountId) ?? 0) - this.now();
    // An end further ahead than a window is long means that the clock was set back.
    if (shut > 0 && shut <= this.window.duration * 1000) return { consumedPoints: Infinity, msBeforeNext: shut };
    this.usedUp.delete(accountId);
    const counted = await this.count(accountId, points);
    const { consumedPoints, msBeforeNext } = counted;
    if (consumedPoints >= this.window.points) this.usedUp.set(accountId, this.now() + msBeforeNext);
    return counted;
  }

  private async count(accountId: string, points: number): Promise<Counted> {
    const now = this.now();
    try {
      for (;;) {
        const counted = await this.add(accountId, points, now);
        if (counted)
          return { consumedPoints: counted.points, msBeforeNext: Math.max(0, counted.expire.getTime() - now) };
        await this.begin(accountId);
      }
    } catch (error) {
      throw storeFaultOf(error);
    }
  }

  private async add(accountId: string, points: number, now: number): Promise<RateDocument | null> {
    const runs = { $gt: ['$expire', new Date(now)] };
    const counted = {
      points: { $cond: [runs, { $add: ['$points', points] }, points] },
      expire: { $cond: [runs, '$expire', new Date(now + this.window.duration * 1000)] },
    };
    const options = { returnDocument: 'after' as const, writeConcern: CONCERN };
    return this.collection().findOneAndUpdate({ _id: { $eq: accountId } }, [{ $set: counted }], options);
  }

  /** Inserts a window that is already over, so that the first count begins the next one. Other gateways may insert it at the same time. */
  private async begin(accountId: string): Promise<void> {
    try {
      await this.collection().insertOne({ _id: accountId, points: 0, expire: new Date(0) }, { writeConcern: CONCERN });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private collection(): MongoDriver.Collection<RateDocument> {
    return this.rates.collection as unknown as MongoDriver.Collection<RateDocument>;
  }
}

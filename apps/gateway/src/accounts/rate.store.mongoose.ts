import { Batcher } from '@lettermill/concurrency';
import {
  isDuplicateKey,
  migrateMongo,
  modelOf,
  storeFaultOf,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import type { RateCount, RateStore, RateWindow } from './rate.store';

/** A counter may be lost with its primary: one member's acknowledgement is enough, and a request does not wait for the others. */
const WRITE_CONCERN = { w: 1 };
/** Clocks of hosts may differ by so much (docs/operating.md, Clocks). */
const MAX_CLOCK_SKEW_MS = 30_000;

/** The window of an account; `_id` is the account id. */
interface RateDocument {
  _id: string;
  points: number;
  /** When the window ends. */
  expire: Date;
}

interface Request {
  accountId: string;
  window: RateWindow;
  now: number;
}

/**
 * Counters that all gateways share, exact to the request: one single write either adds to a window or begins the next one.
 * (RateLimiterMongo takes up to three writes, and upserts, which some servers do not isolate from each other when they run at the same
 * time.) Clocks that differ shift the end of a window, never its count. A window that ends too late even for that is over: a clock was
 * ahead, or the limit was another one. The server removes windows that are over.
 */
export class MongooseRateStore implements RateStore {
  private readonly rates: StoreModel<RateDocument>;
  /** Accounts that have used up their window, and when it ends: until then they cost no call. */
  private readonly usedUp = new Map<string, number>();
  /** Requests that arrive while the counters are being called are counted together in the next call. */
  private readonly counting = new Batcher<Request, RateCount>((requests) => this.countAll(requests));

  constructor(private readonly connection: MongoConnection) {
    this.rates = modelOf<RateDocument>(connection, 'gateway_rates', {
      _id: { type: String, required: true },
      points: Number,
      expire: Date,
    });
  }

  migrate(): Promise<void> {
    const expiry = { name: 'gateway_rates_expiry', key: { expire: 1 as const }, expireAfterSeconds: 0 };
    const indexes = { gateway_rates: [expiry] };
    return migrateMongo(this.connection, 'gateway.rates', [{ name: '1-rates', indexes }]);
  }

  count(accountId: string, window: RateWindow, now: number): RateCount | Promise<RateCount> {
    const end = this.usedUp.get(accountId) ?? 0;
    if (end > now && end <= latestEnd(window, now)) return { place: Infinity, msBeforeNext: end - now };
    this.usedUp.delete(accountId);
    return this.counting.add({ accountId, window, now });
  }

  private async countAll(requests: Request[]): Promise<RateCount[]> {
    const accounts = [...new Set(requests.map(({ accountId }) => accountId))];
    const counted = accounts.map(async (accountId): Promise<[string, RateCount[]]> => {
      const its = requests.filter((request) => request.accountId === accountId);
      return [accountId, await this.countSome(its)];
    });
    const counts = new Map(await Promise.all(counted));
    return requests.map(({ accountId }) => counts.get(accountId)!.shift()!);
  }

  /** Counts requests of one account. */
  private async countSome(requests: Request[]): Promise<RateCount[]> {
    const { accountId, window, now } = requests.at(-1)!;
    const { points, expire } = await this.add(accountId, requests.length, window, now);
    if (points >= window.requests) this.usedUp.set(accountId, expire.getTime());
    const msBeforeNext = Math.max(0, expire.getTime() - now);
    return requests.map((_, at) => ({ place: points - requests.length + at + 1, msBeforeNext }));
  }

  private async add(accountId: string, points: number, window: RateWindow, now: number): Promise<RateDocument> {
    try {
      for (;;) {
        const counted = await this.addToWindow(accountId, points, window, now);
        if (counted) return counted;
        await this.insertEnded(accountId);
      }
    } catch (error) {
      throw storeFaultOf(error);
    }
  }

  private async addToWindow(
    accountId: string,
    points: number,
    window: RateWindow,
    now: number,
  ): Promise<RateDocument | null> {
    const latest = new Date(latestEnd(window, now));
    const isRunning = { $and: [{ $gt: ['$expire', new Date(now)] }, { $lte: ['$expire', latest] }] };
    const counted = {
      points: { $cond: [isRunning, { $add: ['$points', points] }, points] },
      expire: { $cond: [isRunning, '$expire', new Date(now + window.seconds * 1000)] },
    };
    const options = { returnDocument: 'after' as const, writeConcern: WRITE_CONCERN };
    return this.collection().findOneAndUpdate({ _id: { $eq: accountId } }, [{ $set: counted }], options);
  }

  /** A window that is already over, so that the first count begins the next one. Other gateways may insert it at the same time. */
  private async insertEnded(accountId: string): Promise<void> {
    const ended = { _id: accountId, points: 0, expire: new Date(0) };
    try {
      await this.collection().insertOne(ended, { writeConcern: WRITE_CONCERN });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private collection(): MongoDriver.Collection<RateDocument> {
    return this.rates.collection as unknown as MongoDriver.Collection<RateDocument>;
  }
}

/** The end of a window that has just been begun by a clock that is ahead. */
function latestEnd({ seconds }: RateWindow, now: number): number {
  return now + seconds * 1000 + MAX_CLOCK_SKEW_MS;
}

import type { Config } from '@lettermill/config';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { RateLimit } from './rate.limit';
import type { RateStore } from './rate.store';
import { MemoryRateStore } from './rate.store.memory';
import { MongooseRateStore } from './rate.store.mongoose';

const rateOn = (store: RateStore, requests = 40, now = Date.now) =>
  new RateLimit({ rateLimit: { requests, seconds: 60 } } as Config, now, store);

const remainingOf = (answers: Awaited<ReturnType<RateLimit['take']>>[]) =>
  answers.filter(({ allowed }) => allowed).map(({ headers }) => Number(headers['x-ratelimit-remaining']));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const sorted = (numbers: number[]) => numbers.sort((a, b) => a - b);

function describeRateLimit(name: string, store: () => Promise<RateStore>): void {
  describe(`the rate limit: ${name}`, () => {
    it('allows exactly as many requests as its limit, however many come at once', async () => {
      const rate = rateOn(await store());
      const answers = await Promise.all(range(1, 60).map(() => rate.take('a')));
      expect(sorted(remainingOf(answers))).toEqual(range(0, 39));
      const refused = answers.find(({ allowed }) => !allowed)!;
      expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '0' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    });

    it('refuses further requests once it is used up, and counts accounts separately', async () => {
      const rate = rateOn(await store(), 2);
      await Promise.all([rate.take('a'), rate.take('a')]);
      expect(await rate.take('a')).toMatchObject({ allowed: false });
      expect(await rate.take('a')).toMatchObject({ allowed: false, headers: { 'x-ratelimit-remaining': '0' } });
      expect(await rate.take('b')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-remaining': '1' } });
    });

    it('ends a window when its time is over, however many requests come meanwhile', async () => {
      // Ahead of the server's clock, by which it removes windows.
      let now = Date.now() + 3_600_000;
      const rate = rateOn(await store(), 3, () => now);
      await rate.take('a');
      now += 30_000;
      await rate.take('a');
      now += 29_999;
      expect(await rate.take('a')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-remaining': '0' } });
      now += 1;
      expect(await rate.take('a')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-remaining': '2' } });
    });
  });
}

describeRateLimit('in memory', () => Promise.resolve(new MemoryRateStore()));

it('a window in memory ends by the clock, and the next one begins with the next request', async () => {
  let now = 1_800_000_000_000;
  const rate = rateOn(new MemoryRateStore(), 1, () => now);
  const headers = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000060' };
  expect(await rate.take('a')).toEqual({ allowed: true, headers });
  now += 59_001;
  expect(await rate.take('a')).toEqual({ allowed: false, headers: { ...headers, 'retry-after': '1' } });
  now += 999;
  expect(await rate.take('a')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-reset': '1800000120' } });
});

it('its times are rounded up, so that whoever waits for that long is let through', async () => {
  let now = 1_800_000_000_400;
  const rate = rateOn(new MemoryRateStore(), 1, () => now);
  await rate.take('a');
  now += 10_500;
  const { headers } = await rate.take('a');
  expect(headers).toMatchObject({ 'retry-after': '50', 'x-ratelimit-reset': '1800000061' });
  now += 50_000;
  expect(await rate.take('a')).toMatchObject({ allowed: true });
});

it('whoever is refused at the very end of a window waits for a second', async () => {
  const rate = rateOn({ migrate: () => Promise.resolve(), count: () => ({ place: 41, msBeforeNext: 0 }) });
  expect(await rate.take('a')).toMatchObject({ allowed: false, headers: { 'retry-after': '1' } });
});

it('a window in memory does not outlast a clock that is set back', async () => {
  let now = 1_800_000_000_000;
  const rate = rateOn(new MemoryRateStore(), 1, () => now);
  await rate.take('a');
  now -= 3_600_000;
  expect(await rate.take('a')).toMatchObject({ allowed: true });
  expect(await rate.take('a')).toMatchObject({ allowed: false, headers: { 'retry-after': '60' } });
});

it('without a rate limit, every request is allowed', async () => {
  const rate = new RateLimit({ rateLimit: null } as Config, Date.now, new MemoryRateStore());
  expect(await rate.take('a')).toEqual({ allowed: true, headers: {} });
});

describeWithMongo('the rate limit in MongoDB', (open) => {
  const store = async () => {
    const opened = new MongooseRateStore(await open());
    await opened.migrate();
    return opened;
  };
  describeRateLimit('shared', store);

  it('is shared by all gateways', async () => {
    const gateways = await Promise.all(range(1, 3).map(async () => rateOn(await store())));
    const answers = await Promise.all(range(1, 90).map((at) => gateways[at % 3]!.take('a')));
    expect(sorted(remainingOf(answers))).toEqual(range(0, 39));
  });

  it('counts the requests of several accounts that come together each for its own', async () => {
    const rate = rateOn(await store(), 3);
    const answers = await Promise.all([...'aabacabb'].map((account) => rate.take(account)));
    const remaining = answers.map(({ allowed, headers }) => allowed && Number(headers['x-ratelimit-remaining']));
    expect(remaining).toEqual([2, 1, 2, 0, 2, false, 1, 0]);
  });

  it('begins anew when the window has ended', async () => {
    const rate = rateOn(await store(), 2);
    const connection = await open();
    await rate.take('a');
    const past = { $set: { expire: new Date(Date.now() - 1) } };
    await connection.db!.collection('gateway_rates').updateMany({}, past);
    expect(await rate.take('a')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-remaining': '1' } });
  });

  it('does not keep refusing because the clock of a gateway was ahead', async () => {
    let now = Date.now() + 3_600_000;
    const rate = rateOn(await store(), 1, () => now);
    await rate.take('a');
    expect(await rate.take('a')).toMatchObject({ allowed: false });
    now -= 3_600_000;
    expect(await rate.take('a')).toMatchObject({ allowed: true });
    expect(await rate.take('a')).toMatchObject({ allowed: false });
  });

  it('counts in the window of a gateway whose clock is half a minute ahead', async () => {
    const now = Date.now();
    const ahead = rateOn(await store(), 2, () => now + 30_000);
    const right = rateOn(await store(), 2, () => now);
    await ahead.take('a');
    expect(await right.take('a')).toMatchObject({ allowed: true, headers: { 'x-ratelimit-remaining': '0' } });
    expect(await right.take('a')).toMatchObject({ allowed: false });
    expect(await ahead.take('a')).toMatchObject({ allowed: false });
  });
});

const hour = { requests: 1, seconds: 3600 };
describeDenied<RateStore>('MongooseRateStore', (connection) => new MongooseRateStore(connection), {
  migrate: (store) => store.migrate(),
  count: (store) => store.count('a', hour, 1),
});

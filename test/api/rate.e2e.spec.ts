import { setTimeout as pause } from 'node:timers/promises';
import { installed } from '../installations/installed';
import { Lettermill, type Answer } from '../installations/lettermill';
import { NamedCall, isReplayed } from '../send/named.calls';

const MAX_REQUESTS = 60;

describe('the rate limit', () => {
  const lettermill = installed({ RATE_LIMIT: `${MAX_REQUESTS}/3600` });
  beforeAll(() => lettermill.launch('order'));

  const rateHeader = ({ headers }: Answer<unknown>, name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? NaN);
  const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  const numbersBelow = (count: number) => Array.from({ length: count }, (_, i) => i);

  it.each<[string, string, string, unknown, Record<string, string>?]>([
    ['404', 'GET', '/v2/no-such', undefined],
    ['404', 'GET', '/v2/messages/aaaaaaaaaaaaaaaaaa', undefined],
    ['405', 'PATCH', '/v2/send/email', undefined],
    ['400', 'GET', '/v2/messages/%ff', undefined],
    ['400', 'GET', `/v2/messages/${'a'.repeat(1001)}`, undefined],
    ['400', 'POST', '/v2/send/email', undefined],
    ['422', 'POST', '/v2/send/email', {}],
    ['200', 'GET', '/v2/campaigns', undefined],
    ['400', 'POST', '/v2/send/email', {}, { 'content-encoding': 'gzip' }],
    ['400', 'POST', '/v2/send/email', {}, { 'content-type': 'application/json; charset=latin1' }],
    ['404', 'POST', '/v2/no-such', {}, { 'content-encoding': 'gzip' }],
  ])('is in every answer to a valid key: %s to %s %s', async (status, method, path, body, more = {}) => {
    const before = await lettermill.call('GET', '/v2/campaigns/order');
    const answer = await lettermill.call(method, path, body, more);
    expect([answer.status, rateHeader(answer, 'limit')]).toEqual([Number(status), MAX_REQUESTS]);
    expect(rateHeader(answer, 'remaining')).toBe(rateHeader(before, 'remaining') - 1);
    expect(rateHeader(answer, 'reset')).toBeGreaterThan(Date.now() / 1000);
    const stranger = await lettermill.call(method, path, body, { ...more, authorization: 'Bearer nobody' });
    expect([stranger.status, rateHeader(stranger, 'limit')]).toEqual([401, NaN]);
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('lets exactly as many requests of any kind through as it announces, with consistent headers', async () => {
    const before = rateHeader(await lettermill.call('GET', '/v2/campaigns/order'), 'remaining');
    expect(before).toBeGreaterThan(0);
    const kindsOfRequest = [
      (i: number) => lettermill.send({ campaign: 'order', to: `r${i}@example.com` }),
      () => lettermill.send({ campaign: 'no-such', to: 'x@example.com' }),
      () => lettermill.send('{"not json'),
      () => lettermill.call('GET', '/v2/no-such'),
      () => lettermill.call('PATCH', '/v2/send/email'),
      () => lettermill.call('GET', '/v2/campaigns/order'),
    ];
    const answers = await Promise.all(
      numbersBelow(2 * MAX_REQUESTS).map((i) => kindsOfRequest[i % kindsOfRequest.length]!(i)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(before);
    expect(answers.filter(({ status }) => ![200, 202, 400, 404, 405, 422, 429].includes(status))).toEqual([]);
    expect(answers.map((answer) => rateHeader(answer, 'limit'))).toEqual(answers.map(() => MAX_REQUESTS));
    const remaining = answers.filter(({ status }) => status !== 429).map((answer) => rateHeader(answer, 'remaining'));
    expect(sorted(remaining)).toEqual(numbersBelow(before));
    // Whole seconds, rounded up: at the turn of a second, the values may differ by one.
    const resets = sorted(answers.map((answer) => rateHeader(answer, 'reset')));
    expect(resets.at(-1)! - resets[0]!).toBeLessThanOrEqual(1);
    const secondsLeft = resets[0]! - Date.now() / 1000;
    expect(secondsLeft).toBeGreaterThan(0);
    expect(secondsLeft).toBeLessThanOrEqual(3601);
    for (const answer of refused) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.body).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(rateHeader(answer, 'remaining')).toBe(0);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    }
  });

  it('ends with its window, and leaves the Idempotency-Key and ids of a refused request unused', async () => {
    const hurried = await Lettermill.start({ RATE_LIMIT: '3/2' });
    try {
      await hurried.launch('order');
      for (let i = 0; ; i += 1) {
        const call = new NamedCall(`hurried-${i}`, 'both', 2);
        const refused = await call.send(hurried);
        if (refused.status !== 429) continue;
        await pause(Number(refused.headers.get('retry-after')) * 1000);
        const answer = await call.send(hurried);
        expect([answer.status, isReplayed(answer)]).toEqual([202, false]);
        return;
      }
    } finally {
      await hurried.destroy();
    }
  });
});

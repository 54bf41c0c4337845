import { content } from '../testing/pooled';
import { Exchange } from './smtp.exchange';
import { readOffer } from './smtp.offer';
import { SMTP_DEFAULTS } from './smtp.options';
import type { Transaction } from './smtp.transaction';
import { Withdrawal } from './smtp.withdrawal';
import type { SmtpWire } from './smtp.wire';

describe('the time limits of a transaction', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('begin anew with each step, and none is left at its end', () => {
    const wire = { dead: false, listen: () => undefined, write: () => true } as unknown as SmtpWire;
    const envelope = { from: 'shop@example.com', to: ['ada@example.com'], main: 'ada@example.com', needsUtf8: false };
    const job = { envelope, content: content(), withdrawal: new Withdrawal() };
    const timing = { timeouts: { ...SMTP_DEFAULTS.timeouts, command: 10, dot: 1_000 }, now: Date.now };
    const ended: (Transaction | undefined)[] = [];
    const settle = (transaction: Transaction | undefined) => ended.push(transaction);
    const offer = readOffer('250-hop\n250 PIPELINING', '220 hop');
    const exchange = new Exchange(wire, offer, job, timing, settle, () => undefined);
    exchange.begin();
    for (const answer of ['250 fine', '250 fine', '354 go on']) {
      jest.advanceTimersByTime(9);
      exchange.answer(answer, answer === '250 fine');
    }
    jest.advanceTimersByTime(999);
    expect(ended).toEqual([]);
    exchange.answer('250 taken', false);
    expect(ended).toMatchObject([{ stage: 'handed_over', response: '250 taken' }]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

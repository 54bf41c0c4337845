import { Exchange } from './smtp.exchange';
import { readOffer } from './smtp.offer';
import { SMTP_DEFAULTS } from './smtp.options';
import type { Transaction } from './smtp.transaction';
import { Withdrawal } from './smtp.withdrawal';
import type { SmtpWire } from './smtp.wire';

describe('a transaction', () => {
  let written: string[];
  let ended: (Transaction | undefined)[];
  let exchange: Exchange;
  let leaseEnded: boolean;

  beforeEach(() => {
    jest.useFakeTimers();
    [written, ended, leaseEnded] = [[], [], false];
    const write = (data: string | Buffer, more = '') => written.push(`${data.toString()}${more}`) < 0;
    const wire = { dead: false, listen: () => undefined, write } as unknown as SmtpWire;
    const envelope = { from: 'shop@example.com', to: ['ada@example.com'], main: 'ada@example.com', needsUtf8: false };
    const chunks = () => ['one\r\n', 'two\r\n', 'three\r\n'].map((text) => Buffer.from(text)).values();
    const withdrawal = new Withdrawal(() => leaseEnded);
    const job = { envelope, content: { size: 17, eightBit: false, chunks }, withdrawal };
    const timing = { timeouts: { ...SMTP_DEFAULTS.timeouts, command: 10, block: 100, dot: 1_000 }, now: Date.now };
    const settle = (transaction: Transaction | undefined) => ended.push(transaction);
    const offer = readOffer('250-hop\n250 PIPELINING', '220 hop');
    exchange = new Exchange(wire, offer, job, timing, settle, () => undefined);
    exchange.begin();
  });
  afterEach(() => jest.useRealTimers());

  it('has a time limit for each step, and none is left at its end', () => {
    for (const answer of ['250 fine', '250 fine', '354 go on']) {
      jest.advanceTimersByTime(9);
      exchange.answer(answer, answer === '250 fine');
    }
    for (const _ of ['two', 'three']) {
      jest.advanceTimersByTime(99);
      exchange.drained();
    }
    jest.advanceTimersByTime(999);
    expect(ended).toEqual([]);
    exchange.answer('250 taken', false);
    expect(ended).toMatchObject([{ stage: 'handed_over', response: '250 taken' }]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('writes its content as fast as the socket takes it, and ends it once', () => {
    for (const answer of ['250 fine', '250 fine', '354 go on']) exchange.answer(answer, answer === '250 fine');
    expect(written.slice(1)).toEqual(['one\r\n']);
    for (let times = 0; times < 4; times += 1) exchange.drained();
    expect(written.slice(1)).toEqual(['one\r\n', 'two\r\n', 'three\r\n.\r\n']);
  });

  it.each([
    ['before its content', true, []],
    ['in the middle of it', false, ['one\r\n']],
  ])('hands nothing over if its lease has ended %s, as somebody else may have the mail by now', (_, early, part) => {
    for (const answer of ['250 fine', '250 fine']) exchange.answer(answer, true);
    leaseEnded = early;
    exchange.answer('354 go on', false);
    leaseEnded = true;
    exchange.drained();
    expect(written.slice(1)).toEqual(part);
    expect(ended).toMatchObject([{ aborted: true }]);
    expect(exchange.afterwards).toBe('close');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that is answered before its content was handed over leaves a connection that is not used again', () => {
    for (const answer of ['250 fine', '250 fine', '354 go on']) exchange.answer(answer, answer === '250 fine');
    exchange.answer('250 taken', false);
    expect(ended).toMatchObject([{ stage: 'content', response: '250 taken' }]);
    expect(exchange.afterwards).toBe('close');
  });
});

import fc from 'fast-check';
import { CATALOG } from '@lettermill/events';
import Ajv from 'ajv';
import { deliveryEvent } from '../lifecycle/delivery.events';
import { isTerminal, type Delivery, type DeliveryState, type DeliveryTerms } from '../lifecycle/delivery';
import { decideCancel, decideRetry, MAX_ATTEMPTS, type RetryRequest } from './order.decide';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const terms: DeliveryTerms = { expiresAt: null, onUncertain: 'hold', address: 'ada@example.com' };
const retry: RetryRequest = { now: NOW, to: [terms.address], suppressed: [] };
const deliveryIn = (state: DeliveryState, over: Partial<Delivery> = {}): Delivery => ({
  accountId: 'default',
  messageId: '0000000000000000AB',
  state,
  attempts: 1,
  dueAt: null,
  ...over,
});

describe('decideCancel', () => {
  it.each(['queued', 'deferred', 'uncertain'] as const)('ends a delivery that is %s', (state) => {
    expect(decideCancel(deliveryIn(state, { dueAt: NOW }))).toMatchObject({
      next: { state: 'cancelled', dueAt: null, attempts: 1 },
      told: { type: 'MessageCancelled', data: { reason: { code: 'cancelled' } } },
    });
  });

  it('mentions it if an attempt may have delivered the message', () => {
    const detailOf = (state: DeliveryState) => JSON.stringify(decideCancel(deliveryIn(state)));
    expect(detailOf('uncertain')).toContain('may have delivered');
    expect(detailOf('queued')).toContain('before it was sent');
    expect(detailOf('deferred')).not.toMatch(/may have delivered|before it was sent/);
    for (const doubt of [{ mayHaveArrived: true }, { mayHaveArrivedBefore: true }] as const)
      expect(JSON.stringify(decideCancel(deliveryIn('deferred', doubt)))).toContain('may have delivered');
  });

  it.each([
    ['sending', 'It is being sent at this moment.'],
    ['sent', 'It was sent: the next hop has it.'],
    ['bounced', 'It bounced: it was refused permanently.'],
    ['failed', 'It has failed.'],
  ] as const)('refuses a delivery that is %s, and names the state', (state, why) => {
    const refused = { code: 'message_not_cancellable', detail: `${why} Its state is ${state}.` };
    expect(decideCancel(deliveryIn(state))).toEqual({ refused });
  });

  it('changes nothing if it is cancelled already', () => {
    expect(decideCancel(deliveryIn('cancelled'))).toEqual({ stands: deliveryIn('cancelled') });
  });
});

describe('decideRetry', () => {
  it.each(['deferred', 'uncertain', 'bounced', 'failed'] as const)(
    'makes a delivery that is %s due, with the next attempt number',
    (was) => {
      expect(decideRetry(deliveryIn(was), terms, retry)).toMatchObject({
        next: { state: 'deferred', dueAt: NOW, attempts: 1 },
        told: { type: 'MessageRetried', data: { attempt: 2, was } },
      });
    },
  );

  const retried = (was: Delivery): Delivery => {
    const verdict = decideRetry(was, terms, retry);
    if (!('next' in verdict)) throw new Error('nothing changes');
    return verdict.next;
  };

  it('keeps that the mail may have arrived; if it is known to have bounced, it may have arrived before that', () => {
    expect(retried(deliveryIn('uncertain')).mayHaveArrived).toBe(true);
    const doubted = { mayHaveArrived: true } as const;
    for (const state of ['deferred', 'failed'] as const)
      expect(retried(deliveryIn(state, doubted))).toMatchObject(doubted);
    const before = { mayHaveArrivedBefore: true } as const;
    expect(retried(deliveryIn('bounced', doubted))).toMatchObject({ mayHaveArrived: null, ...before });
    expect(retried(deliveryIn('bounced', before))).toMatchObject(before);
    for (const state of ['failed', 'bounced'] as const) {
      expect(retried(deliveryIn(state)).mayHaveArrived).toBeFalsy();
      expect(retried(deliveryIn(state))).not.toHaveProperty('mayHaveArrivedBefore');
    }
  });

  it('notes which attempt was asked for, unless one would have followed anyway', () => {
    const copies = { to: ['cc@example.com'], after: 'bounced' } as const;
    for (const was of [
      deliveryIn('bounced', { attempts: 3 }),
      deliveryIn('deferred', { attempts: 3, dueAt: NOW + 9, rest: { ...copies, to: [...copies.to] } }),
      deliveryIn('failed', { attempts: 3, requestedAttempt: 2 }),
      deliveryIn('uncertain', { attempts: 3 }),
    ])
      expect(retried(was).requestedAttempt).toBe(4);
    for (const state of ['deferred', 'uncertain'] as const) {
      expect(retried(deliveryIn(state, { attempts: 3, dueAt: NOW + 9, requestedAttempt: 2 })).requestedAttempt).toBe(2);
      expect(retried(deliveryIn(state, { dueAt: NOW + 9 }))).not.toHaveProperty('requestedAttempt');
    }
  });

  it('makes a queued delivery due that waits because the clock was set back', () => {
    expect(decideRetry(deliveryIn('queued', { attempts: 0, dueAt: NOW + 3_600_000 }), terms, retry)).toMatchObject({
      next: { state: 'queued', dueAt: NOW, attempts: 0 },
      told: { type: 'MessageRetried', data: { attempt: 1, was: 'queued' } },
    });
  });

  it('changes nothing if it is due anyway', () => {
    for (const delivery of [deliveryIn('queued', { dueAt: NOW }), deliveryIn('deferred', { dueAt: NOW - 1 })]) {
      expect(decideRetry(delivery, terms, retry)).toEqual({ stands: delivery });
    }
  });

  it.each([
    ['sending', 'It is being sent at this moment.'],
    ['sent', 'It was sent: the next hop has it.'],
    ['cancelled', 'It was cancelled.'],
  ] as const)('refuses a delivery that is %s, and names the state', (state, why) => {
    const refused = { code: 'message_not_retryable', detail: `${why} Its state is ${state}.` };
    expect(decideRetry(deliveryIn(state), terms, retry)).toEqual({ refused });
  });

  it('refuses an expired message, but none that is in time, and one whose content is gone', () => {
    const until = (expiresAt: number) => decideRetry(deliveryIn('uncertain'), { ...terms, expiresAt }, retry);
    expect(until(NOW)).toMatchObject({ refused: { code: 'message_not_retryable' } });
    expect(until(NOW + 1)).toMatchObject({ next: { dueAt: NOW } });
    expect(decideRetry(deliveryIn('bounced'), undefined, retry)).toMatchObject({
      refused: { code: 'message_content_gone' },
    });
  });

  it('refuses a delivery with the maximum number of attempts', () => {
    const tried = (attempts: number) => decideRetry(deliveryIn('failed', { attempts }), terms, retry);
    expect(tried(MAX_ATTEMPTS - 1)).toMatchObject({ next: { dueAt: NOW } });
    expect(tried(MAX_ATTEMPTS)).toMatchObject({
      refused: {
        code: 'message_not_retryable',
        detail: 'It was tried 500 times, which is the limit. Its state is failed.',
      },
    });
    const due = deliveryIn('deferred', { attempts: MAX_ATTEMPTS, dueAt: NOW });
    expect(decideRetry(due, terms, retry)).toEqual({ stands: due });
  });
});

describe('a message whose copies are still tried', () => {
  const waiting = (after: 'sent' | 'bounced', over: Partial<Delivery> = {}) =>
    deliveryIn('deferred', { dueAt: NOW, rest: { to: ['cc@example.com'], after }, ...over });

  it('cannot be cancelled, as it has ended', () => {
    for (const after of ['sent', 'bounced'] as const) {
      expect(decideCancel(waiting(after))).toMatchObject({
        refused: { code: 'message_not_cancellable', detail: expect.stringContaining(`state is ${after}`) },
      });
    }
  });

  it('keeps the doubt about copies that may have the mail, and only that, if it is retried after it bounced', () => {
    const both = { to: ['ada@example.com', 'cc@example.com', 'bcc@example.com'], suppressed: [] };
    const rest = { to: both.to, after: null, unsure: true };
    const doubted = waiting('bounced', { rest: { to: ['cc@example.com'], after: 'bounced', unsure: true } });
    const first = decideRetry(doubted, terms, { ...both, now: NOW });
    expect(first).toMatchObject({ next: { rest } });
    if (!('next' in first)) throw new Error('it stands');
    expect(first.next).not.toHaveProperty('mayHaveArrivedBefore');
    // An attempt to all of them may have reached each of them.
    expect(decideRetry(waiting('bounced', { mayHaveArrived: true }), terms, { ...both, now: NOW })).toMatchObject({
      next: { rest, mayHaveArrived: null, mayHaveArrivedBefore: true },
    });
    const lost = { address: 'bcc@example.com', code: 'suppressed' as const, detail: '' };
    const again = decideRetry(first.next, terms, { ...both, now: NOW, suppressed: [lost] });
    expect(again).toMatchObject({ next: { rest: { ...rest, to: both.to.slice(0, 2) } } });
    expect(JSON.stringify(decideRetry(waiting('bounced'), terms, { ...both, now: NOW }))).not.toContain('unsure');
  });

  it('is not retried if it was sent', () => {
    expect(decideRetry(waiting('sent'), terms, retry)).toMatchObject({
      refused: { code: 'message_not_retryable', detail: expect.stringContaining('state is sent') },
    });
  });

  it('is retried with its waiting copies if it bounced, but not while they are being sent', () => {
    const to = ['ada@example.com', 'cc@example.com'];
    expect(decideRetry(waiting('bounced'), terms, { ...retry, to })).toMatchObject({
      next: { state: 'deferred', dueAt: NOW, rest: { to: ['ada@example.com', 'cc@example.com'], after: null } },
      told: { type: 'MessageRetried', data: { was: 'bounced', attempt: 2 } },
    });
    expect(decideRetry(waiting('bounced', { state: 'sending', dueAt: null }), terms, retry)).toMatchObject({
      refused: { code: 'message_not_retryable', detail: expect.stringContaining('copies are being sent') },
    });
  });
});

describe('a retry with copies that have been suppressed since', () => {
  const to = ['ada@example.com', 'cc@example.com', 'gone@example.com'];
  const gone = { address: 'gone@example.com', code: 'suppressed', detail: 'it bounced' };
  const left: RetryRequest = { now: NOW, to, suppressed: [gone, { ...gone, address: 'other@example.com' }] };
  const without = (rest: Delivery['rest'] = { to: to.slice(0, 2), after: null }) => ({
    next: { dueAt: NOW, rest },
    told: { type: 'MessageRetried', data: { suppressed_copies: [gone] } },
  });

  it.each([
    ['is deferred', deliveryIn('deferred', { dueAt: NOW + 9 })],
    ['is uncertain and held', deliveryIn('uncertain')],
    ['bounced', deliveryIn('bounced')],
    ['failed', deliveryIn('failed')],
    ['is due anyway', deliveryIn('deferred', { dueAt: NOW - 9 })],
    ['was never tried', deliveryIn('queued', { attempts: 0, dueAt: NOW - 9 })],
    [
      'bounced and has copies waiting',
      deliveryIn('deferred', { dueAt: NOW, rest: { to: to.slice(1), after: 'bounced' } }),
    ],
  ])('goes to all other recipients if the message %s, and reports those left out', (_, delivery) => {
    expect(decideRetry(delivery, terms, left)).toMatchObject(without());
  });

  it.each([
    ['as the wire has it', 'cc@bücher.example', 'cc@xn--bcher-kva.example'],
    ['as the mail has it', 'cc@xn--bcher-kva.example', 'cc@bücher.example'],
    ['in capitals', 'cc@example.com', 'CC@example.com'],
  ])('recognises them if the delivery spells their address %s', (_, address, spelt) => {
    const delivery = deliveryIn('deferred', { dueAt: NOW + 9, rest: { to: [spelt], after: 'bounced' } });
    const suppressed = [{ ...gone, address }];
    expect(decideRetry(delivery, terms, { now: NOW, to: [terms.address, spelt], suppressed })).toMatchObject({
      next: { rest: { to: [terms.address], after: null } },
      told: { data: { suppressed_copies: suppressed } },
    });
  });

  it('changes nothing if they were left out already', () => {
    const delivery = deliveryIn('deferred', { dueAt: NOW, rest: { to: to.slice(0, 2), after: null } });
    expect(decideRetry(delivery, terms, { ...left, to: to.slice(0, 2) })).toEqual({ stands: delivery });
  });

  it('has a different event id each time', () => {
    const id = (at: number) => {
      const verdict = decideRetry(deliveryIn('queued', { attempts: 0, dueAt: NOW }), terms, { ...left, now: at });
      if (!('told' in verdict)) throw new Error('it stands');
      return deliveryEvent({ messageId: 'M', attempt: 1, at }, verdict.told).id;
    };
    expect(new Set([id(NOW), id(NOW + 1)]).size).toBe(2);
  });
});

const states = fc.constantFrom<DeliveryState>(
  ...(['queued', 'sending', 'deferred', 'uncertain', 'sent', 'bounced', 'failed', 'cancelled'] as const),
);
const deliveries = fc.record({
  state: states,
  attempts: fc.nat({ max: 20 }),
  dueAt: fc.option(fc.integer({ min: NOW - 1e6, max: NOW + 1e6 })),
});

describe('cancel or retry', () => {
  const ajv = new Ajv({ strict: false });

  it('never changes what is being sent or was sent, counts no attempt, and takes effect once', () => {
    fc.assert(
      fc.property(deliveries, fc.boolean(), fc.boolean(), ({ state, ...rest }, kept, cancels) => {
        const delivery = deliveryIn(state, rest);
        const decide = (one: Delivery) =>
          cancels ? decideCancel(one) : decideRetry(one, kept ? terms : undefined, retry);
        const verdict = decide(delivery);
        if (!('next' in verdict)) return;
        expect(['sending', 'sent', 'cancelled']).not.toContain(state);
        expect(verdict.next).toMatchObject({ messageId: delivery.messageId, attempts: delivery.attempts });
        expect(isTerminal(verdict.next.state)).toBe(verdict.next.dueAt === null);
        expect(ajv.validate(CATALOG[verdict.told.type].schema, verdict.told.data) || ajv.errorsText()).toBe(true);
        expect(decide(verdict.next)).toEqual({ stands: verdict.next });
      }),
    );
  });
});

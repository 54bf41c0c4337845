import fc from 'fast-check';
import { CATALOG } from '@lettermill/events';
import Ajv from 'ajv';
import { isTerminal, type Delivery, type DeliveryState, type DeliveryTerms } from '../deliveries/delivery';
import { decideCancel, decideRetry } from './order.decide';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const terms: DeliveryTerms = { expiresAt: null, onUncertain: 'hold', address: 'ada@example.com' };
const of = (state: DeliveryState, over: Partial<Delivery> = {}): Delivery => ({
  ...{ accountId: 'default', messageId: '0000000000000000AB', state, attempts: 1, dueAt: null },
  ...over,
});

describe('decideCancel', () => {
  it.each(['queued', 'deferred', 'uncertain'] as const)('ends what is %s', (state) => {
    expect(decideCancel(of(state, { dueAt: NOW }))).toMatchObject({
      next: { state: 'cancelled', dueAt: null, attempts: 1 },
      told: { type: 'MessageCancelled', data: { reason: { code: 'cancelled' } } },
    });
  });

  it('says so where an attempt may have delivered it', () => {
    const detailOf = (state: DeliveryState) => JSON.stringify(decideCancel(of(state)));
    expect(detailOf('uncertain')).toContain('may have delivered');
    expect(detailOf('deferred')).not.toContain('may have delivered');
  });

  it.each(['sending', 'sent', 'bounced', 'failed'] as const)('refuses what is %s, and names it', (state) => {
    const refused = { code: 'message_not_cancellable', detail: expect.stringContaining(`state is ${state}`) };
    expect(decideCancel(of(state))).toEqual({ refused });
  });

  it('leaves alone what was cancelled', () => {
    expect(decideCancel(of('cancelled'))).toEqual({ stands: of('cancelled') });
  });
});

describe('decideRetry', () => {
  it.each(['deferred', 'uncertain', 'bounced', 'failed'] as const)('makes %s due, under the next number', (was) => {
    expect(decideRetry(of(was), terms, NOW)).toMatchObject({
      next: { state: 'deferred', dueAt: NOW, attempts: 1 },
      told: { type: 'MessageRetried', data: { attempt: 2, was } },
    });
  });

  it('makes due what is queued and waits for a clock that was set back', () => {
    expect(decideRetry(of('queued', { attempts: 0, dueAt: NOW + 3_600_000 }), terms, NOW)).toMatchObject({
      next: { state: 'queued', dueAt: NOW, attempts: 0 },
      told: { type: 'MessageRetried', data: { attempt: 1, was: 'queued' } },
    });
  });

  it('leaves alone what is due anyway', () => {
    for (const delivery of [of('queued', { dueAt: NOW }), of('deferred', { dueAt: NOW - 1 })]) {
      expect(decideRetry(delivery, terms, NOW)).toEqual({ stands: delivery });
    }
  });

  it.each(['sending', 'sent', 'cancelled'] as const)('refuses what is %s, and names it', (state) => {
    const refused = { code: 'message_not_retryable', detail: expect.stringContaining(`state is ${state}`) };
    expect(decideRetry(of(state), terms, NOW)).toEqual({ refused });
  });

  it('refuses what is out of time, and what is gone', () => {
    const late = { ...terms, expiresAt: NOW };
    expect(decideRetry(of('uncertain'), late, NOW)).toMatchObject({ refused: { code: 'message_not_retryable' } });
    expect(decideRetry(of('bounced'), undefined, NOW)).toMatchObject({ refused: { code: 'message_content_gone' } });
  });
});

describe('a message whose copies are still tried', () => {
  const waiting = (after: 'sent' | 'bounced', over: Partial<Delivery> = {}) =>
    of('deferred', { dueAt: NOW, rest: { to: ['cc@example.com'], after }, ...over });

  it('has ended for whoever cancels it', () => {
    for (const after of ['sent', 'bounced'] as const) {
      expect(decideCancel(waiting(after))).toMatchObject({
        refused: { code: 'message_not_cancellable', detail: expect.stringContaining(`state is ${after}`) },
      });
    }
  });

  it('was sent, and is not retried', () => {
    expect(decideRetry(waiting('sent'), terms, NOW)).toMatchObject({
      refused: { code: 'message_not_retryable', detail: expect.stringContaining('state is sent') },
    });
  });

  it('bounced, and is retried to its recipient and to those that wait, but not beside them', () => {
    expect(decideRetry(waiting('bounced'), terms, NOW)).toMatchObject({
      next: { state: 'deferred', dueAt: NOW, rest: { to: ['ada@example.com', 'cc@example.com'], after: null } },
      told: { type: 'MessageRetried', data: { was: 'bounced', attempt: 2 } },
    });
    expect(decideRetry(waiting('bounced', { state: 'sending', dueAt: null }), terms, NOW)).toMatchObject({
      refused: { code: 'message_not_retryable', detail: expect.stringContaining('copies are being sent') },
    });
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

describe('an order', () => {
  const ajv = new Ajv({ strict: false });

  it('never touches what is being sent or was sent, counts no attempt, and is done once', () => {
    fc.assert(
      fc.property(deliveries, fc.boolean(), fc.boolean(), ({ state, ...rest }, kept, cancels) => {
        const delivery = of(state, rest);
        const decide = (one: Delivery) =>
          cancels ? decideCancel(one) : decideRetry(one, kept ? terms : undefined, NOW);
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

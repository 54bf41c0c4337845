import fc from 'fast-check';
import { CATALOG } from '@lettermill/events';
import Ajv from 'ajv';
import { policy, sending, START } from '../testing/lifecycle';
import { isTerminal, type AttemptEnd, type DeliveryTerms } from './delivery';
import { deliveryEvent } from './delivery.events';
import { decide, type DeliveryEvent } from './delivery.machine';

const terms: DeliveryTerms = { expiresAt: null, onUncertain: 'retry', address: 'ada@example.com' };
const refusal: AttemptEnd = {
  outcome: 'deferred',
  reply: { code: 451, enhanced: null, text: 'later' },
  reason: { code: 'refused', detail: '451 later' },
  hard: false,
};
const ended = (end: AttemptEnd, at = START): DeliveryEvent => ({
  type: 'ended',
  startedAt: at - 5,
  at,
  nextHop: 'mx.example.com:25',
  end,
});
const end = (outcome: AttemptEnd['outcome']): AttemptEnd => ({ ...refusal, outcome });

describe('decide', () => {
  it('fails an expired delivery before its attempt, without counting one', () => {
    const { next, outcome } = decide(sending(), { ...terms, expiresAt: START }, { type: 'begun', at: START }, policy);
    expect(next).toMatchObject({ state: 'failed', attempts: 0, dueAt: null });
    const reason = { code: 'expired', detail: 'It had to be sent before 2026-01-02T03:04:05.000Z.' };
    expect(outcome).toMatchObject({ type: 'MessageFailed', data: { reason } });
    expect(outcome?.data).not.toHaveProperty('attempt');
  });

  it('goes on with a delivery that has not expired', () => {
    const at = { type: 'begun', at: START } as const;
    expect(decide(sending(), { ...terms, expiresAt: START + 1 }, at, policy).outcome).toBeNull();
    expect(decide(sending(), terms, at, policy).next.state).toBe('sending');
  });

  it('defers by the delay for that attempt, and fails when the retries are used up', () => {
    const first = decide(sending(), terms, ended(refusal), policy);
    expect(first.next).toMatchObject({ state: 'deferred', attempts: 1, dueAt: START + 60_000 });
    const second = decide(sending({ attempts: 1 }), terms, ended(refusal), policy);
    expect(second.next.dueAt).toBe(START + 300_000);
    const third = decide(sending({ attempts: 2 }), terms, ended(refusal), policy);
    expect(third.next).toMatchObject({ state: 'failed', attempts: 3, dueAt: null });
    expect(third.outcome).toMatchObject({
      type: 'MessageFailed',
      data: { reason: { code: 'attempts_used_up' }, attempt: { number: 3, outcome: 'deferred' } },
    });
  });

  it('fails instead of waiting for a retry that would come too late', () => {
    const { outcome } = decide(sending(), { ...terms, expiresAt: START + 60_000 }, ended(refusal), policy);
    const detail = 'It had to be sent before 2026-01-02T03:05:05.000Z; the last attempt: 451 later';
    expect(outcome).toMatchObject({
      type: 'MessageFailed',
      data: { reason: { code: 'expired', detail }, attempt: { number: 1 } },
    });
  });

  it.each<[string, DeliveryEvent, string]>([
    ['expired', { type: 'begun', at: START }, 'It had to be sent before 2026-01-02T03:04:05.000Z.'],
    ['attempts_used_up', ended(refusal, START - 1), '3 attempts failed, the last one: 451 later.'],
  ])('says so when a mail that may have arrived ends as %s', (code, event, why) => {
    for (const doubt of [{ mayHaveArrived: true }, { mayHaveArrivedBefore: true }] as const) {
      const { outcome } = decide(sending({ attempts: 2, ...doubt }), { ...terms, expiresAt: START }, event, policy);
      const detail = `${why} An earlier attempt may have delivered it.`;
      expect(outcome).toMatchObject({ type: 'MessageFailed', data: { reason: { code, detail } } });
    }
  });

  it('keeps the detail and the reply to each recipient, if the attempt has them', () => {
    const said = { detail: 'it broke', recipients: [{ address: 'ada@example.com', reply: null }] };
    expect(decide(sending(), terms, ended({ ...refusal, ...said }), policy).outcome?.data.attempt).toMatchObject(said);
    const silent = decide(sending(), terms, ended({ ...refusal, detail: '' }), policy).outcome?.data.attempt;
    expect(silent).not.toHaveProperty('detail');
    expect(silent).not.toHaveProperty('recipients');
  });

  it('retries an unknown outcome after the first delay, whatever the attempt number', () => {
    const { next, outcome } = decide(sending({ attempts: 1 }), terms, ended(end('unknown')), policy);
    expect(next).toMatchObject({ state: 'uncertain', attempts: 2, dueAt: START + 60_000, mayHaveArrived: true });
    expect(outcome).toMatchObject({ type: 'MessageUncertain', data: { retry_at: '2026-01-02T03:05:05.000Z' } });
  });

  it.each([
    ['the campaign says hold', { ...terms, onUncertain: 'hold' as const }, 0],
    ['no retry is left', terms, 2],
    ['the retry would come too late', { ...terms, expiresAt: START + 1000 }, 0],
  ])('holds an unknown outcome when %s', (_, held, attempts) => {
    const { next, outcome } = decide(sending({ attempts }), held, ended(end('unknown')), policy);
    expect(next).toMatchObject({ state: 'uncertain', dueAt: null });
    expect(outcome).toMatchObject({ type: 'MessageUncertain', data: { retry_at: null } });
  });

  it('bounces a permanent refusal and reports whether the address is to blame', () => {
    const { next, outcome } = decide(sending(), terms, ended({ ...end('bounced'), hard: true }), policy);
    expect(next).toEqual(sending({ state: 'bounced', attempts: 1 }));
    expect(outcome).toMatchObject({ type: 'MessageBounced', data: { hard: true, address: 'ada@example.com' } });
  });

  it.each(['deferred', 'bounced', 'failed', 'unknown'] as const)('reports why the attempt ended as %s', (how) => {
    const reason = { code: 'mailbox_full', detail: '452 full' } as const;
    expect(decide(sending(), terms, ended({ ...end(how), reason }), policy).outcome!.data).toMatchObject({ reason });
  });

  it('allows a retry after failed attempts, but not after expiry or if the content is lost', () => {
    const mayReturn = (event: DeliveryEvent, { attempts = 0, expiresAt = null as number | null } = {}) =>
      decide(sending({ attempts }), { ...terms, expiresAt }, event, policy).mayReturn ?? false;
    expect(mayReturn(ended(end('failed')))).toBe(true);
    expect(mayReturn(ended(refusal), { attempts: 2 })).toBe(true);
    expect(mayReturn(ended(refusal), { expiresAt: START + 60_000 })).toBe(false);
    expect(mayReturn({ type: 'begun', at: START }, { expiresAt: START })).toBe(false);
    const lost = { code: 'content_lost', detail: '' } as const;
    expect(mayReturn({ type: 'unsendable', at: START, reason: lost })).toBe(false);
  });

  it('releases a claim without counting an attempt', () => {
    expect(decide(sending(), terms, { type: 'released', dueAt: 7 }, policy)).toEqual({
      next: sending({ state: 'queued', dueAt: 7 }),
      outcome: null,
    });
    expect(decide(sending({ attempts: 2 }), terms, { type: 'released', dueAt: 7 }, policy).next).toMatchObject({
      state: 'deferred',
      attempts: 2,
    });
  });
});

const anEnd = fc.record({
  outcome: fc.constantFrom('sent', 'deferred', 'bounced', 'failed', 'unknown'),
  reply: fc.option(
    fc.record({ code: fc.integer({ min: 200, max: 599 }), enhanced: fc.constant(null), text: fc.string() }),
  ),
  reason: fc.option(fc.record({ code: fc.constantFrom('refused', 'mailbox_unknown'), detail: fc.string() })),
  hard: fc.boolean(),
  detail: fc.option(fc.string(), { nil: undefined }),
}) as fc.Arbitrary<AttemptEnd>;
const anEvent: fc.Arbitrary<DeliveryEvent> = fc.oneof(
  fc.integer({ min: START, max: START + 1e6 }).map((at): DeliveryEvent => ({ type: 'begun', at })),
  fc.tuple(anEnd, fc.integer({ min: START, max: START + 1e6 })).map(([result, at]) => ended(result, at)),
  fc.integer({ min: START, max: START + 1e6 }).map((dueAt): DeliveryEvent => ({ type: 'released', dueAt })),
  fc.constant<DeliveryEvent>({ type: 'unsendable', at: START, reason: { code: 'content_lost', detail: '' } }),
);
const someTerms: fc.Arbitrary<DeliveryTerms> = fc.record({
  expiresAt: fc.option(fc.integer({ min: START, max: START + 2e6 })),
  onUncertain: fc.constantFrom('retry', 'hold'),
  address: fc.constant('ada@example.com'),
});

describe('the life of a delivery', () => {
  const ajv = new Ajv({ strict: false });

  it('never leaves a final state, numbers attempts without gaps, and reports each once in its schema', () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 30 }), someTerms, (events, theTerms) => {
        let delivery = sending();
        const told: string[] = [];
        let attempts = 0;
        for (const event of events) {
          const before = delivery;
          const { next, outcome } = decide(before, theTerms, event, policy);
          if (isTerminal(before.state)) expect({ next, outcome }).toEqual({ next: before, outcome: null });
          if (outcome) {
            expect(before.state).toBe('sending');
            const attempt = 'attempt' in outcome.data ? outcome.data.attempt : undefined;
            if (attempt) expect(attempt.number).toBe((attempts += 1));
            expect(next.attempts).toBe(attempts);
            const number = attempt?.number ?? attempts + 1;
            told.push(deliveryEvent({ messageId: next.messageId, attempt: number, at: START }, outcome).id);
            const valid = ajv.validate(CATALOG[outcome.type].schema, outcome.data);
            expect(valid || ajv.errorsText()).toBe(true);
          }
          if (next.dueAt !== null) expect(['queued', 'deferred', 'uncertain']).toContain(next.state);
          // The store claims what is due: the only way back to sending.
          delivery = next.dueAt === null ? next : { ...next, state: 'sending', dueAt: null };
        }
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });
});

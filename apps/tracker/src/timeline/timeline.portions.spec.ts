import fc from 'fast-check';
import type { RecipientReply } from '@lettermill/events';
import { attempt, eventsOf, instant, messageId, reason, received } from '../testing/events';
import { factOf, type Fact } from './message.facts';
import { portionsOf, weightOf } from './timeline.portions';

const one = eventsOf(messageId(1));
const factsOf = (...events: Parameters<typeof factOf>[0][]): Fact[] => events.map((event) => factOf(event)!);

/** Attempt `number` of a mail to so many addresses, each of which got an answer as long as what is stored of one. */
function deferred(number: number, addresses: number): Fact {
  const address = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.org`;
  const reply = { code: 450, enhanced: '4.2.0', text: 'x'.repeat(200) };
  const recipients: RecipientReply[] = Array.from({ length: addresses }, () => ({ address, reply }));
  const event = received('MessageDeferred', number, {
    account_id: 'a',
    message_id: messageId(1),
    attempt: { ...attempt(number, number, 'deferred'), recipients },
    reason: reason('greylisted'),
    retry_at: instant(number + 60),
  });
  return factOf(event)!;
}

describe('portionsOf', () => {
  const messages = (count: number, ...facts: Fact[]) => Array.from({ length: count }, (_, id) => ({ id, facts }));

  it('takes all messages of a batch together, unless much is known of them', () => {
    const usual = factsOf(one.requested(1), one.resolved(1), one.queued(1), one.sending(2, 1), one.sent(3, 1));
    expect(portionsOf(messages(3200, ...usual))).toHaveLength(1);
    expect(portionsOf([])).toEqual([]);
  });

  it('takes only so many together that what was stored of their earlier attempts fits into memory', () => {
    const all = messages(800, deferred(40, 21));
    const portions = portionsOf(all);
    expect(portions.flat()).toEqual(all);
    const stored = Array.from({ length: 40 }, (_, before) => deferred(before + 1, 21));
    const bytes = portions.map((portion) => portion.length * JSON.stringify(stored).length);
    expect(Math.max(...bytes)).toBeLessThan(20 * 2 ** 20);
  });

  it('takes a message alone that is too large for any portion', () => {
    const [small, huge] = [messages(1, deferred(1, 1))[0]!, messages(1, deferred(10_000, 21))[0]!];
    expect(portionsOf([small, huge, small, small])).toEqual([[small], [huge], [small, small]]);
    expect(portionsOf([huge, huge])).toEqual([[huge], [huge]]);
  });

  it('loses none, and keeps their order', () => {
    const fact = fc
      .tuple(fc.integer({ min: 1, max: 500 }), fc.nat(21))
      .map(([number, copies]) => deferred(number, copies));
    fc.assert(
      fc.property(fc.array(fc.record({ facts: fc.array(fact, { minLength: 1, maxLength: 3 }) })), (all) => {
        const portions = portionsOf(all);
        expect(portions.flat()).toEqual(all);
        expect(portions.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });
});

describe('weightOf', () => {
  it('is at least the bytes of all attempts, if they were alike', () => {
    for (const [number, addresses] of [
      [1, 1],
      [1, 21],
      [40, 1],
      [40, 21],
      [500, 21],
    ] as const) {
      const bytes = number * JSON.stringify(deferred(number, addresses)).length;
      expect(weightOf([deferred(number, addresses)])).toBeGreaterThan(0.9 * bytes);
    }
  });

  it('grows with the number of the attempt, whichever fact tells it, and is that of the heaviest', () => {
    const facts = (number: number) => [
      one.sending(1, number),
      one.retried(1, number),
      one.sent(1, number),
      one.copies(1, number, null),
    ];
    for (const [at, event] of facts(40).entries()) {
      expect(weightOf(factsOf(event))).toBe(40 * weightOf(factsOf(facts(1)[at]!)));
      expect(weightOf(factsOf(one.sending(1, 1), event, one.queued(1)))).toBe(weightOf(factsOf(event)));
    }
  });

  it('is small before the first attempt, and larger for what comes after attempts of an unknown number', () => {
    const before = [one.requested(1), one.resolved(1), one.queued(1), one.failed(1), one.sending(1, 1)];
    const after = [one.returned(1), one.complained(1), one.cancelled(1), one.expired(1), one.copiesGivenUp(1)];
    const heaviest = Math.max(...before.map((event) => weightOf(factsOf(event))));
    for (const event of after) expect(weightOf(factsOf(event))).toBeGreaterThan(10 * heaviest);
  });
});

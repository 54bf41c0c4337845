import fc from 'fast-check';
import { attempt, eventsOf, factsOf, instant, messageId, received } from '../testing/events';
import { factOf, withFacts } from './message.facts';
import { decidingFact, stateOf } from './message.state';
import { answerOf } from './message.answer';

const id = messageId(0);
const m = eventsOf(id);

const seconds = fc.integer({ min: 0, max: 20 });
const numbers = fc.integer({ min: 1, max: 3 });
const event = fc.oneof(
  seconds.map((at) => m.requested(at)),
  seconds.map((at) => m.resolved(at)),
  seconds.map((at) => m.queued(at)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.sending(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.deferred(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.uncertain(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.sent(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.bounced(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.usedUp(at, number)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.sentBut(at, number, at + 60)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.copies(at, number, at + 60)),
  seconds.map((at) => m.failed(at)),
  seconds.map((at) => m.expired(at)),
  seconds.map((at) => m.suppressed(at)),
  seconds.map((at) => m.cancelled(at)),
  fc.tuple(seconds, numbers).map(([at, number]) => m.retried(at, number)),
);

describe('a set of events', () => {
  it('gives the same answer, whatever the order, the batches and the repeats', () => {
    const arrivals = fc.array(event, { maxLength: 12 }).chain((events) =>
      fc.record({
        events: fc.constant(events),
        order: fc.shuffledSubarray(events, { minLength: events.length }),
        repeats: fc.subarray(events),
        cut: fc.nat({ max: 12 }),
      }),
    );
    fc.assert(
      fc.property(arrivals, ({ events, order, repeats, cut }) => {
        const first = factsOf([...order.slice(0, cut), ...repeats]);
        const all = factsOf([...order.slice(cut), ...repeats], first);
        expect(answerOf(id, all)).toEqual(answerOf(id, factsOf(events)));
      }),
    );
  });

  it('keeps a terminal state, except on a retry, cancellation or queueing', () => {
    const terminal = ['sent', 'bounced', 'failed', 'suppressed', 'cancelled'];
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), fc.array(event, { maxLength: 8 }), (before, after) => {
        const facts = factsOf([m.requested(0), ...before]);
        fc.pre(terminal.includes(stateOf(facts)));
        // Three events may change it: a retry; a cancellation before its end was known; being queued nevertheless.
        const cancellable = ['failed', 'suppressed'].includes(stateOf(facts));
        // A message that failed before dispatch may be shown as cancelled instead: if it is queued nevertheless, that failure was no end.
        const ends = stateOf(facts) === 'cancelled' ? facts : [decidingFact(facts)!];
        const onTheWay = ends.some((fact) => 'on_the_way' in fact);
        const moves = (type: string) =>
          type === 'MessageRetried' ||
          (cancellable && type === 'MessageCancelled') ||
          (onTheWay && type === 'MessageQueued');
        const late = after
          .filter(({ type }) => !moves(type))
          .map(factOf)
          .map((fact) => ({ ...fact!, at: instant(100) }));
        expect(stateOf(withFacts(facts, late))).toBe(stateOf(facts));
      }),
    );
  });

  it('returns the same facts for events that are already known', () => {
    const events = [m.requested(0), m.queued(1)];
    const facts = factsOf(events);
    expect(factsOf(events, facts)).toBe(facts);
  });
});

describe('a fact', () => {
  it('keeps no body and no profile, and truncates long texts', () => {
    const long = { ...attempt(1, 3, 'sent'), reply: { code: 250, enhanced: null, text: 'x'.repeat(5000) } };
    const sent = received('MessageSent', 3, { account_id: 'a', message_id: id, attempt: long });
    const facts = factsOf([m.requested(0, { profile_data: { secret: 2 } }), m.resolved(1), m.queued(2), sent]);
    expect(JSON.stringify(facts)).not.toMatch(/secret|body/);
    expect(JSON.stringify(facts).length).toBeLessThan(2500);
  });

  it('truncates the details of an attempt and of each copy', () => {
    const detail = 'x'.repeat(5000);
    const given_up = [{ address: 'cc@x.org', code: 'refused', detail }];
    const sent = received('MessageSent', 3, {
      account_id: 'a',
      message_id: id,
      attempt: { ...attempt(1, 3, 'sent'), detail },
      copies: { waiting: [], given_up, retry_at: null },
    });
    expect(factOf(sent)).toMatchObject({
      attempt: { detail: `${'x'.repeat(999)}…` },
      copies: { given_up: [{ detail: `${'x'.repeat(199)}…` }] },
    });
  });

  it('cannot be made of an event with an invalid time', () => {
    expect(() => factOf({ ...m.resolved(1), time: 'yesterday' })).toThrow(RangeError);
  });
});

import { CATALOG, type ReceivedEvent } from '@lettermill/events';
import fc from 'fast-check';
import { attempt, eventsOf, factsOf, instant, messageId, received } from '../testing/events';
import { factOf, withFacts } from './message.facts';
import { decidingFact, stateOf } from './message.state';
import { answerOf } from './message.answer';

const id = messageId(0);
const m = eventsOf(id);

const seconds = fc.integer({ min: 0, max: 20 });
const numbers = fc.integer({ min: 1, max: 3 });
const timed = (make: (second: number) => ReceivedEvent) => seconds.map((at) => make(at));
const ofAttempt = (make: (second: number, number: number) => ReceivedEvent) =>
  fc.tuple(seconds, numbers).map(([at, number]) => make(at, number));

/** Every event that can be made here: one that is not tried is a type error. */
const EVENTS: Record<keyof typeof m, fc.Arbitrary<ReceivedEvent>> = {
  requested: timed(m.requested),
  requestedBy: timed((at) => m.requestedBy(at, `request-${at}`)),
  resolved: timed(m.resolved),
  queued: timed(m.queued),
  sending: ofAttempt(m.sending),
  deferred: ofAttempt(m.deferred),
  uncertain: ofAttempt(m.uncertain),
  sent: ofAttempt(m.sent),
  bounced: ofAttempt(m.bounced),
  usedUp: ofAttempt(m.usedUp),
  sentBut: ofAttempt((at, number) => m.sentBut(at, number, at + 60)),
  copies: ofAttempt((at, number) => m.copies(at, number, at + 60)),
  copiesGivenUp: timed(m.copiesGivenUp),
  failed: timed(m.failed),
  expired: timed(m.expired),
  suppressed: timed(m.suppressed),
  cancelled: timed(m.cancelled),
  retried: ofAttempt(m.retried),
  returned: fc.tuple(seconds, fc.boolean()).map(([at, own]) => m.returned(at, own)),
  complained: timed(m.complained),
};
const event = fc.oneof(...Object.values(EVENTS));

describe('a set of events', () => {
  it('may have every event about a message', () => {
    const types = Object.values(EVENTS).map((one) => fc.sample(one, 1)[0]!.type);
    const aboutOthers = ['CampaignLaunched', 'ContactChanged'];
    const known = Object.keys(CATALOG).filter((type) => !aboutOthers.includes(type));
    expect([...new Set(types)].sort()).toEqual(known.sort());
  });

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

  it('keeps a terminal state, except on a retry, cancellation, queueing or return', () => {
    const terminal = ['sent', 'bounced', 'failed', 'suppressed', 'cancelled'];
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), fc.array(event, { maxLength: 8 }), (before, after) => {
        const facts = factsOf([m.requested(0), ...before]);
        fc.pre(terminal.includes(stateOf(facts)));
        // What dispatch writes about a message stays in order: after a return, nothing ends the message but another attempt.
        fc.pre(decidingFact(facts)!.type !== 'returned');
        // Four events may change it: a retry; a cancellation before its end was known; being queued nevertheless; the return of a sent mail.
        const cancellable = ['failed', 'suppressed'].includes(stateOf(facts));
        // A message that failed before dispatch may be shown as cancelled instead: if it is queued nevertheless, that failure was no end.
        const ends = stateOf(facts) === 'cancelled' ? facts : [decidingFact(facts)!];
        const onTheWay = ends.some((fact) => 'on_the_way' in fact);
        const moves = (type: string) =>
          type === 'MessageRetried' ||
          (cancellable && type === 'MessageCancelled') ||
          (stateOf(facts) === 'sent' && type === 'MessageReturned') ||
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

  it('keeps the acceptance by each call that names the message, once, and answers with the first', () => {
    const [first, second] = [m.requestedBy(1, 'R1'), m.requestedBy(40, 'R2')];
    const facts = factsOf([second, second, first]);
    expect(facts.map(({ at }) => at)).toEqual([instant(1), instant(40)]);
    expect(factsOf([first, second], facts)).toBe(facts);
    expect(answerOf(id, facts)).toMatchObject({ request_id: 'R1', created_at: instant(1), timeline: [{}] });
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

  it('truncates the details of an attempt and of each copy, but cuts no character in two', () => {
    const detail = `${'x'.repeat(198)}😀${'x'.repeat(5000)}`;
    const given_up = [{ address: 'cc@x.org', code: 'refused', detail }];
    const sent = received('MessageSent', 3, {
      account_id: 'a',
      message_id: id,
      attempt: { ...attempt(1, 3, 'sent'), detail },
      copies: { waiting: [], given_up, retry_at: null },
    });
    expect(factOf(sent)).toMatchObject({
      attempt: { detail: `${'x'.repeat(198)}😀${'x'.repeat(799)}…` },
      copies: { given_up: [{ detail: `${'x'.repeat(198)}…` }] },
    });
  });

  it('cannot be made of an event with an invalid time', () => {
    expect(() => factOf({ ...m.resolved(1), time: 'yesterday' })).toThrow(RangeError);
  });
});

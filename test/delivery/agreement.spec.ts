import fc from 'fast-check';
import type { AttemptOutcome } from '@lettermill/events';
import { isTerminal, toldState } from '../../apps/dispatch/src/deliveries/delivery';
import { MessageLife } from './message.life';

const ALL = ['ada@x.org', 'cc@x.org', 'bcc@x.org'];

/** Something that can happen to a message, with its name. */
type Step = [name: string, happens: (life: MessageLife) => void];

const outcome = fc.constantFrom<AttemptOutcome>('sent', 'deferred', 'bounced', 'failed', 'unknown');
const attempt = fc.tuple(outcome, outcome, outcome).map(([own, ...others]): Step => {
  const happens = (life: MessageLife) => {
    life.claim();
    life.end(own, others);
  };
  return [`is tried: ${own}, copies ${others.join(', ')}`, happens];
});
const retry = fc
  .subarray(ALL.slice(1))
  .map((gone): Step => [`is retried, suppressed ${gone.join(', ')}`, (life) => life.retry(gone)]);
const others = fc.constantFrom<Step>(
  ['arrives', (life) => life.arrive()],
  ['can not be made', (life) => life.fail()],
  ['is claimed', (life) => life.claim()],
  ['is given back', (life) => life.giveBack()],
  ['comes back', (life) => life.report()],
  ['is cancelled', (life) => void (life.cancel() && expect(life.answer().state).toBe('cancelled'))],
);

/** Expects that the tracker, once it has all events, answers what dispatch knows. */
function agree(life: MessageLife): void {
  expect(life.wronged).toEqual([]);
  // A message that has bounced needs no further event.
  expect(life.unheard.filter((state) => state !== 'bounced')).toEqual([]);
  const { delivery, givenBack } = life;
  if (!delivery || delivery.state === 'sending') return;
  const { state, next_attempt_at: next } = life.answer();
  const done = toldState(delivery);
  const returned = done === 'sent' && state === 'bounced';
  if (!returned && !(givenBack && state === 'uncertain')) expect(state).toBe(done);
  // Before the first attempt, the answer has no time of the next one.
  if (done !== 'queued' && !givenBack) expect(next && Date.parse(next)).toBe(delivery.dueAt);
  if (isTerminal(delivery.state)) expect(next).toBeNull();
}

describe('the state that is reported of a message', () => {
  it('matches its delivery after any steps, without duplicate or unwanted mails or lost reports', () => {
    const steps = fc.array(fc.oneof(attempt, retry, others), { maxLength: 25 });
    fc.assert(
      fc.property(fc.constantFrom('retry', 'hold'), fc.integer({ min: 1, max: 3 }), steps, (uncertain, some, all) => {
        const life = new MessageLife(uncertain, ALL.slice(0, some));
        for (const [, happens] of all) {
          happens(life);
          agree(life);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

import fc from 'fast-check';
import type { AttemptOutcome } from '@lettermill/events';
import { isTerminal, reportedState } from '../../apps/dispatch/src/lifecycle/delivery';
import { MessageLife } from './message.life';

const ADDRESSES = ['ada@x.org', 'cc@x.org', 'bcc@x.org'];

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
  .subarray(ADDRESSES.slice(1))
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
function expectAgreement(life: MessageLife): void {
  expect(life.unwantedCopies).toEqual([]);
  // A message that has bounced needs no further event.
  expect(life.ignoredReports.filter((state) => state !== 'bounced')).toEqual([]);
  const { delivery, givenBack } = life;
  if (!delivery || delivery.state === 'sending') return;
  const { state, next_attempt_at: next } = life.answer();
  const ownState = reportedState(delivery);
  const returned = ownState === 'sent' && state === 'bounced';
  if (!returned && !(givenBack && state === 'uncertain')) expect(state).toBe(ownState);
  // Before the first attempt, the answer has no time of the next one.
  if (ownState !== 'queued' && !givenBack) expect(next && Date.parse(next)).toBe(delivery.dueAt);
  if (isTerminal(delivery.state)) expect(next).toBeNull();
}

describe('the state that is reported of a message', () => {
  it('matches its delivery after any steps, without duplicate or unwanted mails or lost reports', () => {
    const steps = fc.array(fc.oneof(attempt, retry, others), { maxLength: 25 });
    fc.assert(
      fc.property(fc.constantFrom('retry', 'hold'), fc.integer({ min: 1, max: 3 }), steps, (uncertain, some, all) => {
        const life = new MessageLife(uncertain, ADDRESSES.slice(0, some));
        for (const [, happens] of all) {
          happens(life);
          expectAgreement(life);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

import type { ReceivedEvent } from '@lettermill/events';
import { eventsOf, factsOf, messageId } from '../testing/events';
import { stateOf } from './message.state';

const m = eventsOf(messageId(0));

const state = (...events: ReceivedEvent[]) => stateOf(factsOf([m.requested(0), ...events]));

describe('the state', () => {
  it.each([
    ['accepted', [], 'accepted'],
    ['accepted while the contact is known', [m.resolved(1)], 'accepted'],
    ['queued', [m.resolved(1), m.queued(2)], 'queued'],
    ['queued, even if its contact is not known yet', [m.queued(2)], 'queued'],
    ['sending', [m.queued(2), m.sending(3, 1)], 'sending'],
    ['sent', [m.queued(2), m.sending(3, 1), m.sent(3, 1)], 'sent'],
    ['deferred', [m.sending(3, 1), m.deferred(3, 1)], 'deferred'],
    ['sending again', [m.deferred(3, 1), m.sending(63, 2)], 'sending'],
    [
      'deferred, even if the sending of the same attempt has a later time',
      [m.deferred(3, 1), m.sending(9, 1)],
      'deferred',
    ],
    ['that of the highest attempt, whatever the times', [m.deferred(100, 1), m.sending(50, 2)], 'sending'],
    ['uncertain', [m.sending(3, 1), m.uncertain(3, 1)], 'uncertain'],
    ['sent after uncertain', [m.uncertain(3, 1), m.sent(70, 2)], 'sent'],
    ['bounced', [m.deferred(3, 1), m.bounced(70, 2)], 'bounced'],
    ['failed', [m.failed(1)], 'failed'],
    ['suppressed', [m.suppressed(1)], 'suppressed'],
    ['sent, whatever is queued or tried later', [m.sent(3, 1), m.queued(4), m.sending(9, 2), m.deferred(9, 2)], 'sent'],
    ['sent, whatever is cancelled later', [m.sent(3, 1), m.cancelled(9)], 'sent'],
    ['cancelled', [m.deferred(3, 1), m.cancelled(9)], 'cancelled'],
    ['cancelled, whatever is rendered later', [m.cancelled(1), m.resolved(2), m.queued(3), m.failed(4)], 'cancelled'],
    ['cancelled, if it was cancelled before its failure was known', [m.failed(1), m.cancelled(2)], 'cancelled'],
    ['cancelled, and not suppressed', [m.suppressed(1), m.cancelled(2)], 'cancelled'],
    ['queued when a retry asks for the first attempt', [m.queued(2), m.retried(9, 1)], 'queued'],
    ['deferred when a retry asks for another attempt', [m.bounced(3, 1), m.retried(9, 2)], 'deferred'],
    ['that of the attempt that a retry asked for', [m.usedUp(3, 1), m.retried(9, 2), m.sent(10, 2)], 'sent'],
    ['that of the last retry', [m.bounced(3, 1), m.retried(9, 2), m.bounced(10, 2), m.retried(11, 3)], 'deferred'],
    [
      'that of the last retry, whatever the times',
      [m.bounced(3, 1), m.retried(30, 2), m.bounced(31, 2), m.retried(11, 3)],
      'deferred',
    ],
    ['cancelled after a retry', [m.bounced(3, 1), m.retried(9, 2), m.cancelled(9)], 'cancelled'],
    ['the first terminal one', [m.failed(5), m.sent(9, 2)], 'failed'],
    ['bounced by a later server once it was sent', [m.sent(3, 1), m.returned(9)], 'bounced'],
    ['bounced by a later server whose clock is behind', [m.sent(30, 1), m.returned(9)], 'bounced'],
    ['bounced by a later server after it was uncertain', [m.uncertain(3, 1), m.returned(9)], 'bounced'],
    [
      'bounced by a later server after it was uncertain and deferred',
      [m.uncertain(3, 1), m.deferred(70, 2), m.returned(80)],
      'bounced',
    ],
    ['sent although a copy was returned', [m.sent(3, 1), m.returned(9, false)], 'sent'],
    ['sent while copies are tried again', [m.sentBut(3, 1, 63), m.sending(63, 2), m.copies(63, 2, 123)], 'sent'],
    ['sent when its copies are given up', [m.sentBut(3, 1, 63), m.copies(63, 2, null, 'bounced')], 'sent'],
    [
      'bounced by a later server while copies are tried',
      [m.sentBut(3, 1, 63), m.returned(9), m.copies(63, 2, 90)],
      'bounced',
    ],
    [
      'sent although its record was read again and could not be rendered',
      [m.queued(2), m.failed(3), m.sending(4, 1), m.sent(4, 1)],
      'sent',
    ],
    ['queued if it could only be rendered the second time', [m.failed(2), m.queued(3)], 'queued'],
    ['queued although it is reported as suppressed later', [m.queued(2), m.suppressed(3)], 'queued'],
    ['failed if it expired in the queue', [m.queued(2), m.expired(9)], 'failed'],
    ['failed although a server reports that it was returned', [m.failed(3), m.returned(9)], 'failed'],
    ['sent although the recipient complained', [m.sent(3, 1), m.complained(9)], 'sent'],
  ] as [string, ReceivedEvent[], string][])('is %s', (_, events, expected) => {
    expect(state(...events)).toBe(expected);
    expect(state(...[...events].reverse())).toBe(expected);
  });
});

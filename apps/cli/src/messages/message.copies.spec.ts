import type { AttemptEntry, MessageAnswer, TimelineEntry } from '@lettermill/events';
import { copiesLeftOf } from './message.copies';

const [WAITS, GONE, HELD] = ['waits@example.com', 'gone@example.com', 'held@example.com'];
const at = '2026-03-01T09:30:00.000Z';
const unknown = { address: GONE, code: 'mailbox_unknown', detail: '550 5.1.1 No such user' };
const usedUp = { address: WAITS, code: 'attempts_used_up', detail: '4 attempts failed' };
const suppressed = { address: HELD, code: 'suppressed', detail: 'It complained.' };

const queued: TimelineEntry = { type: 'queued', at, suppressed_copies: [suppressed] };
const sent: TimelineEntry = { type: 'sent', at, attempt: 1, waiting: [WAITS], given_up: [unknown] };
const bounced: TimelineEntry = { ...sent, type: 'bounced' };
const sending = (attempt: number): TimelineEntry => ({ type: 'sending', at, attempt });
const retried: TimelineEntry = { type: 'retried', at, attempt: 2 };
const attempt = (number: number, ...named: string[]) =>
  ({ number, recipients: named.map((address) => ({ address, reply: null })) }) as unknown as AttemptEntry;

const left = (timeline: TimelineEntry[], attempts: AttemptEntry[] = []) =>
  copiesLeftOf({ timeline, attempts } as MessageAnswer);

describe('the copies that are left', () => {
  it('are none in a message without copies', () => {
    const timeline: TimelineEntry[] = [sending(1), { type: 'sent', at, attempt: 1 }];
    expect(left(timeline)).toEqual({ waiting: [], givenUp: [], suppressed: [] });
  });

  it('are those that wait, were given up or are suppressed', () => {
    expect(left([queued, sending(1), sent])).toEqual({
      waiting: [WAITS],
      givenUp: [unknown],
      suppressed: [suppressed],
    });
  });

  it('wait until the next attempt for them has ended, whatever comes of it', () => {
    const tried = (more: object): TimelineEntry => ({ type: 'copies', at, attempt: 2, ...more });
    const after = (more: object) => left([sent, sending(2), tried(more)], [attempt(1, GONE, WAITS), attempt(2, WAITS)]);
    expect(left([sent, sending(2)]).waiting).toEqual([WAITS]);
    expect(after({ waiting: [WAITS], given_up: [] })).toMatchObject({ waiting: [WAITS], givenUp: [unknown] });
    expect(after({ waiting: [], given_up: [] })).toMatchObject({ waiting: [], givenUp: [unknown] });
    expect(after({ waiting: [], given_up: [usedUp] })).toMatchObject({ waiting: [], givenUp: [unknown, usedUp] });
  });

  it('may be given up without an attempt', () => {
    const expired: TimelineEntry = { type: 'copies', at, waiting: [], given_up: [usedUp] };
    expect(left([sent, expired])).toMatchObject({ waiting: [], givenUp: [unknown, usedUp] });
  });

  it('still wait after a later server refused the mail, or somebody complained', () => {
    const later: TimelineEntry[] = [
      { type: 'bounced', at, asynchronous: true },
      { type: 'complained', at },
    ];
    expect(left([sent, ...later]).waiting).toEqual([WAITS]);
  });

  it('go along when the message is retried, and wait no longer once that has ended', () => {
    const deferred: TimelineEntry = { type: 'deferred', at, attempt: 2 };
    expect(left([bounced, retried, sending(2), deferred]).waiting).toEqual([WAITS]);
    for (const type of ['sent', 'failed', 'cancelled'] as const)
      expect(left([bounced, retried, deferred, { type, at }]).waiting).toEqual([]);
  });

  it('are not given up if a later attempt went to them, too', () => {
    const again = [bounced, retried, sending(2), { type: 'sent', at, attempt: 2 } as const];
    expect(left(again, [attempt(1, GONE, WAITS), attempt(2, GONE, WAITS)]).givenUp).toEqual([]);
    expect(left(again, [attempt(1, GONE, WAITS), attempt(2, WAITS)]).givenUp).toEqual([unknown]);
  });

  it('do not wait if they are suppressed when the message is retried', () => {
    const lost = { ...suppressed, address: WAITS };
    const timeline = [queued, bounced, { ...retried, suppressed_copies: [lost] }];
    expect(left(timeline)).toMatchObject({ waiting: [], suppressed: [suppressed, lost] });
  });
});

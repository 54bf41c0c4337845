import type { ClientEntry, CopyEntry, ReportedMessage } from './entries';
import { judge, type Evidence } from './verdict';

const ADDRESS = 'ok-1-0@example.com';
const request: ClientEntry = {
  type: 'request',
  request: 1,
  at: 1,
  bad: false,
  campaign: 'order',
  key: 'k',
  recipients: [{ address: ADDRESS, cc: ['cc-1-0@example.com'] }],
};
const answer = (status: number, id?: string): ClientEntry => ({
  type: 'answer',
  request: 1,
  at: 3,
  begun: 2,
  status,
  ...(id && { accepted: { [ADDRESS]: id } }),
});
const order = (what: 'cancel' | 'bounce', status: number): ClientEntry => ({
  type: 'order',
  at: 6,
  what,
  address: ADDRESS,
  message_id: 'm1',
  status,
});
const copy = (changes: Partial<CopyEntry> = {}): CopyEntry => ({
  at: 4,
  to: [ADDRESS, 'cc-1-0@example.com'],
  message_id: '<m1@x>',
  sha256: 'aa',
  bytes: 10,
  ...changes,
});
/** When the attempts took place. */
const DURING_ALL = { at: new Date(0).toISOString(), ended_at: new Date(10).toISOString() };
const reportedMessage = (state: string, ...outcomes: string[]): ReportedMessage => ({
  message_id: 'm1',
  state,
  reason: state === 'sent' ? null : { code: 'why' },
  attempts: outcomes.map((outcome) => ({ outcome, ...DURING_ALL })),
});
const flawless: Evidence = {
  client: [request, answer(202, 'm1')],
  copies: [copy()],
  told: [reportedMessage('sent', 'sent')],
};
const faultKinds = (changes: Partial<Evidence>) => judge({ ...flawless, ...changes }).faults.map(({ kind }) => kind);

describe('the verdict on a run', () => {
  it('finds no faults if there are none', () => {
    expect(judge(flawless)).toEqual({
      requests: 1,
      accepted: 1,
      copies: 1,
      repeats: 0,
      unknownAttempts: 0,
      states: { sent: 1 },
      faults: [],
    });
  });

  it('accepts a repeat that an attempt of unknown outcome explains, and counts it', () => {
    const verdict = judge({
      ...flawless,
      copies: [copy(), copy()],
      told: [reportedMessage('sent', 'unknown', 'sent')],
    });
    expect(verdict).toMatchObject({ repeats: 1, unknownAttempts: 1, faults: [] });
  });

  it.each(['bounced', 'failed', 'suppressed', 'cancelled', 'uncertain'])(
    'accepts an end without a mail: %s',
    (state) => {
      expect(faultKinds({ copies: [], told: [reportedMessage(state, 'deferred')] })).toEqual([]);
    },
  );

  it('accepts a mail to the cc alone if the main recipient was refused', () => {
    const copies = [copy({ to: ['cc-1-0@example.com'] })];
    expect(faultKinds({ copies, told: [reportedMessage('bounced', 'bounced')] })).toEqual([]);
    expect(faultKinds({ copies, told: [reportedMessage('failed', 'deferred')] })).toEqual(['unexplained']);
  });

  describe('on a cc that was deferred', () => {
    const cc = 'cc-1-0@example.com';
    const mailWithoutCc = copy({ to: [ADDRESS] });
    const mailToCc = copy({ to: [cc] });
    const messageWithCopies = (givenUp: string[], ...outcomes: string[]): ReportedMessage => ({
      ...reportedMessage('sent', ...outcomes),
      attempts: outcomes.map((outcome, index) => ({
        outcome,
        ...DURING_ALL,
        copies: { given_up: index === outcomes.length - 1 ? givenUp.map((address) => ({ address })) : [] },
      })),
    });

    it('accepts a mail to it alone by a later attempt, and none if it was given up', () => {
      const later = judge({
        ...flawless,
        copies: [mailWithoutCc, mailToCc],
        told: [messageWithCopies([], 'sent', 'deferred', 'sent')],
      });
      expect(later).toMatchObject({ repeats: 0, faults: [] });
      expect(
        faultKinds({
          copies: [mailWithoutCc, mailToCc, mailToCc],
          told: [messageWithCopies([], 'sent', 'unknown', 'sent')],
        }),
      ).toEqual([]);
      expect(faultKinds({ copies: [mailWithoutCc], told: [messageWithCopies([cc], 'sent', 'deferred')] })).toEqual([]);
    });

    it('finds a mail that is missing, one too many, and one that still waits', () => {
      expect(faultKinds({ copies: [mailWithoutCc], told: [messageWithCopies([], 'sent', 'sent')] })).toEqual(['lost']);
      expect(
        faultKinds({ copies: [mailWithoutCc, mailToCc], told: [messageWithCopies([], 'sent', 'deferred')] }),
      ).toEqual(['unexplained']);
      expect(faultKinds({ copies: [copy(), mailToCc], told: [messageWithCopies([], 'sent', 'sent')] })).toEqual([
        'unexplained',
      ]);
      expect(faultKinds({ copies: [copy(), copy()], told: [messageWithCopies([], 'sent', 'unknown')] })).toEqual([
        'unexplained',
      ]);
      const waits = { ...messageWithCopies([], 'sent'), next_attempt_at: '2026-01-02T03:04:05.000Z' };
      expect(faultKinds({ copies: [mailWithoutCc], told: [waits] })).toEqual(['unsettled', 'lost']);
    });
  });

  it('accepts an order that was refused, and a mail before its message was cancelled', () => {
    const { client } = flawless;
    expect(faultKinds({ client: [...client, order('cancel', 409), order('bounce', 200)] })).toEqual([]);
    const told = [reportedMessage('cancelled', 'unknown')];
    expect(faultKinds({ client: [...client, order('cancel', 200)], told })).toEqual([]);
  });

  it('takes a refused repeat that names the message for an acceptance', () => {
    expect(faultKinds({ client: [request, answer(0), request, answer(422, 'm1')] })).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, string[]]>([
    ['an accepted message that is unknown later', { told: [], copies: [] }, ['lost']],
    ['one reported as sent that never arrived', { copies: [] }, ['lost']],
    [
      'one that ended without a reason',
      { copies: [], told: [{ ...reportedMessage('failed'), reason: null }] },
      ['lost'],
    ],
    ['one that is still in progress', { copies: [], told: [reportedMessage('deferred', 'deferred')] }, ['unsettled']],
    [
      'a repeat that no unknown outcome explains',
      { copies: [copy(), copy()], told: [reportedMessage('sent', 'deferred', 'sent')] },
      ['unexplained'],
    ],
    [
      'one copy more than unknown outcomes explain',
      { copies: [copy(), copy(), copy()], told: [reportedMessage('sent', 'unknown', 'sent')] },
      ['unexplained'],
    ],
    ['a mail after a bounce', { told: [reportedMessage('bounced', 'bounced')] }, ['unexplained']],
    [
      'copies with different bytes',
      { copies: [copy(), copy({ sha256: 'bb' })], told: [reportedMessage('sent', 'unknown', 'sent')] },
      ['changed'],
    ],
    [
      'copies with different ids',
      { copies: [copy(), copy({ message_id: '<m2@x>' })], told: [reportedMessage('sent', 'unknown', 'sent')] },
      ['changed'],
    ],
    ['a mail after the attempt that it is of', { copies: [copy({ at: 11 })] }, ['misdated']],
    [
      'a cancelled message that was sent',
      { client: [...flawless.client, order('cancel', 200)], copies: [copy({ at: 9 })] },
      ['disobeyed', 'disobeyed'],
    ],
    ['a bounce that had no effect', { client: [...flawless.client, order('bounce', 202)] }, ['disobeyed']],
    ['a copy that lacks its cc', { copies: [copy({ to: [ADDRESS] })] }, ['lost']],
    [
      'a mail for a refused request',
      { client: [{ ...request, bad: true } as ClientEntry, answer(422)], told: [] },
      ['unasked'],
    ],
    ['a mail to an address that nobody gave', { copies: [copy(), copy({ to: ['else@example.com'] })] }, ['unasked']],
    [
      'a message that no 202 named',
      { told: [reportedMessage('sent', 'sent'), { ...reportedMessage('sent'), message_id: 'm2' }] },
      ['phantom'],
    ],
    [
      'a retry that was answered with another message',
      { client: [request, answer(202, 'm1'), answer(202, 'm2')] },
      ['doubled'],
    ],
    ['an unanswered request', { client: [request, answer(0), answer(503)], copies: [], told: [] }, ['unanswered']],
    ['a good request that was refused', { client: [request, answer(422)], copies: [], told: [] }, ['unanswered']],
    [
      'a bad request that was accepted',
      { client: [{ ...request, bad: true } as ClientEntry, answer(202, 'm1')] },
      ['unanswered'],
    ],
  ])('finds %s', (_, changes, expected) => {
    expect(faultKinds(changes)).toEqual(expected);
  });
});

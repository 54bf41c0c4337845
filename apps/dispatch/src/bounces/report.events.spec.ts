import type { Delivery } from '../lifecycle/delivery';
import { awaitsAttempt, endByReport, reportEvents } from './report.events';
import type { Finding, RecalledDelivery } from './report.match';

const [ADA, CC] = ['ada@x.org', 'cc@x.org'];
const recalled = (state: Delivery['state'], over: Partial<RecalledDelivery> = {}): RecalledDelivery => ({
  accountId: 'default',
  messageId: 'A'.repeat(18),
  state,
  attempts: 1,
  dueAt: null,
  recipients: [ADA, CC],
  requestedAttempt: 0,
  ...over,
});
const finding = (kind: 'bounce' | 'complaint', address = ADA): Finding => {
  const said = { hard: true, status: '5.1.1', reason: 'mailbox_unknown' as const, diagnostic: 'no' };
  return { recipient: { address, kind, ...said }, address, own: address === ADA };
};
const isPublished = (message: RecalledDelivery, one: Finding) => reportEvents(message, [one], 5).length > 0;

describe('the id of a reported event', () => {
  const idOf = (over: Partial<RecalledDelivery>, one = finding('bounce')) =>
    reportEvents(recalled('sent', over), [one], 5)[0]!.id;
  const [returned, again] = [`${'A'.repeat(18)}/returned/ada@x.org`, `${'A'.repeat(18)}/returned 3/ada@x.org`];

  it('does not depend on how often the mail, or a copy of it, was tried', () => {
    for (const attempts of [1, 2, 9]) expect(idOf({ attempts })).toBe(returned);
    const waiting = { attempts: 4, rest: { to: [CC], after: 'sent' as const } };
    expect(idOf(waiting, finding('complaint'))).toBe(idOf({}, finding('complaint')));
  });

  it('is another one once somebody asked for another attempt, and stays so over the attempts after that', () => {
    for (const attempts of [2, 3, 9]) expect(idOf({ attempts, requestedAttempt: 3 })).toBe(again);
  });

  it('is that of the version before for a delivery of which nobody noted what was asked for', () => {
    const requestedAttempt = undefined;
    expect(idOf({ attempts: 1, requestedAttempt })).toBe(returned);
    expect(idOf({ attempts: 3, requestedAttempt })).toBe(again);
  });
});

describe('a mail that may have arrived before a bounce that is known', () => {
  const states = ['deferred', 'bounced', 'failed'] as const;
  const rest = { to: [ADA], after: null };
  const retried = (state: Delivery['state']) =>
    recalled(state, { attempts: 3, requestedAttempt: 3, mayHaveArrivedBefore: true, rest });

  it('can be complained about for ever', () => {
    for (const state of states) expect(isPublished(retried(state), finding('complaint'))).toBe(true);
  });

  it('is not ended by the bounce, which is old news; copies have it as before', () => {
    for (const state of states) {
      expect(isPublished(retried(state), finding('bounce'))).toBe(false);
      expect(endByReport(retried(state), [])).toBeUndefined();
      expect(isPublished(retried(state), finding('bounce', CC))).toBe(true);
    }
  });

  it('is ended by a bounce after another attempt of unknown outcome', () => {
    const message = { ...retried('deferred'), attempts: 5, mayHaveArrived: true as const };
    const events = reportEvents(message, [finding('bounce')], 5);
    expect(endByReport(message, events)).toMatchObject({ next: { state: 'bounced', requestedAttempt: 3 } });
  });

  it('is not taken for one whose copies alone may have arrived', () => {
    const unsure = { to: [CC], after: 'bounced' as const, unsure: true as const };
    const copies = recalled('sending', { attempts: 2, rest: unsure });
    expect(awaitsAttempt(copies, [finding('bounce', CC)])).toBe(false);
    for (const kind of ['bounce', 'complaint'] as const) {
      expect(isPublished(copies, finding(kind, CC))).toBe(true);
      expect(isPublished(copies, finding(kind))).toBe(false);
    }
  });
});

it.each(['uncertain', 'deferred', 'failed'] as const)(
  'after a bounce has ended a mail that was %s, a complaint about it still counts, and the bounce does not again',
  (state) => {
    const message = recalled(state, { mayHaveArrived: true, requestedAttempt: 2, attempts: 2 });
    const { next } = endByReport(message, reportEvents(message, [finding('bounce')], 5))!;
    expect(next).toMatchObject({ mayHaveArrived: null, mayHaveArrivedBefore: true, requestedAttempt: 2 });
    const ended = { ...message, ...next };
    expect(isPublished(ended, finding('complaint'))).toBe(true);
    expect(isPublished(ended, finding('bounce'))).toBe(false);
  },
);

import type { Received } from '@lettermill/events';
import { attempt, CAMPAIGN, eventsOf, factsOf, instant, messageId, reason, REQUEST_ID, told } from '../testing/events';
import { factOf } from './message.facts';
import { stateOf } from './message.state';
import { viewOf } from './message.view';

const id = messageId(0);
const m = eventsOf(id);

const view = (...events: Received[]) => viewOf(id, factsOf(events));
const state = (...events: Received[]) => stateOf(factsOf([m.requested(0), ...events]));

describe('the state', () => {
  it.each([
    ['accepted', [], 'accepted'],
    ['accepted while the contact is known', [m.resolved(1)], 'accepted'],
    ['queued', [m.resolved(1), m.queued(2)], 'queued'],
    ['queued without its contact having arrived', [m.queued(2)], 'queued'],
    ['sending', [m.queued(2), m.sending(3, 1)], 'sending'],
    ['sent', [m.queued(2), m.sending(3, 1), m.sent(3, 1)], 'sent'],
    ['deferred', [m.sending(3, 1), m.deferred(3, 1)], 'deferred'],
    ['sending again', [m.deferred(3, 1), m.sending(63, 2)], 'sending'],
    [
      'deferred although sending of the same attempt bears a later time',
      [m.deferred(3, 1), m.sending(9, 1)],
      'deferred',
    ],
    ['of the highest attempt, whatever the times', [m.deferred(100, 1), m.sending(50, 2)], 'sending'],
    ['uncertain', [m.sending(3, 1), m.uncertain(3, 1)], 'uncertain'],
    ['sent after uncertain', [m.uncertain(3, 1), m.sent(70, 2)], 'sent'],
    ['bounced', [m.deferred(3, 1), m.bounced(70, 2)], 'bounced'],
    ['failed', [m.failed(1)], 'failed'],
    ['suppressed', [m.suppressed(1)], 'suppressed'],
    ['sent whatever is queued or tried late', [m.sent(3, 1), m.queued(4), m.sending(9, 2), m.deferred(9, 2)], 'sent'],
    ['cancelled', [m.deferred(3, 1), m.cancelled(9)], 'cancelled'],
    ['cancelled whatever is rendered late', [m.cancelled(1), m.resolved(2), m.queued(3), m.failed(4)], 'cancelled'],
    [
      'cancelled where it was answered so before it was known to have ended',
      [m.failed(1), m.cancelled(2)],
      'cancelled',
    ],
    ['cancelled, and not suppressed', [m.suppressed(1), m.cancelled(2)], 'cancelled'],
    ['queued when the first attempt was asked for', [m.queued(2), m.retried(9, 1)], 'queued'],
    ['deferred when another attempt was asked for', [m.bounced(3, 1), m.retried(9, 2)], 'deferred'],
    ['that of the attempt that was asked for', [m.usedUp(3, 1), m.retried(9, 2), m.sent(10, 2)], 'sent'],
    ['of the last one asked for', [m.bounced(3, 1), m.retried(9, 2), m.bounced(10, 2), m.retried(11, 3)], 'deferred'],
    ['cancelled after another attempt was asked for', [m.bounced(3, 1), m.retried(9, 2), m.cancelled(9)], 'cancelled'],
    ['the first terminal one', [m.failed(5), m.sent(9, 2)], 'failed'],
    ['bounced by a later server once it was sent', [m.sent(3, 1), m.returned(9)], 'bounced'],
    ['bounced by a later server whose clock is behind', [m.sent(30, 1), m.returned(9)], 'bounced'],
    ['sent although a copy came back', [m.sent(3, 1), m.returned(9, false)], 'sent'],
    ['sent while copies are tried again', [m.sentBut(3, 1, 63), m.sending(63, 2), m.copies(63, 2, 123)], 'sent'],
    ['sent when its copies are given up', [m.sentBut(3, 1, 63), m.copies(63, 2, null, 'bounced')], 'sent'],
    [
      'bounced by a later server while copies are tried',
      [m.sentBut(3, 1, 63), m.returned(9), m.copies(63, 2, 90)],
      'bounced',
    ],
    ['failed although a server says that it came back', [m.failed(3), m.returned(9)], 'failed'],
    ['sent although the recipient complained', [m.sent(3, 1), m.complained(9)], 'sent'],
  ] as [string, Received[], string][])('is %s', (_, events, expected) => {
    expect(state(...events)).toBe(expected);
    expect(state(...[...events].reverse())).toBe(expected);
  });
});

describe('the view', () => {
  it('shows what later servers and recipients say beside the attempts', () => {
    const { timeline, attempts, reason } = view(m.requested(0), m.sent(3, 1), m.returned(9), m.complained(12))!;
    expect(timeline.slice(-2)).toEqual([
      {
        ...{ type: 'bounced', at: instant(9), asynchronous: true, address: 'ada@x.org', status: '5.1.1' },
        ...{ code: 'mailbox_unknown', detail: 'because of mailbox_unknown' },
      },
      { type: 'complained', at: instant(12), address: 'ada@x.org' },
    ]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(reason).toEqual({ code: 'mailbox_unknown', detail: 'because of mailbox_unknown' });
  });

  it('is none before the message is known to be accepted', () => {
    expect(view(m.resolved(1), m.queued(2))).toBeUndefined();
  });

  it('tells the whole way of a message', () => {
    const events = [
      ...[m.requested(0, { external_message_id: 'order-7' }), m.resolved(1), m.queued(2)],
      ...[m.sending(3, 1), m.deferred(3, 1), m.sent(70, 2)],
    ];
    expect(view(...events)).toEqual({
      message_id: id,
      request_id: REQUEST_ID,
      external_message_id: 'order-7',
      contact_key: { email: 'Ada@x.org' },
      campaign: CAMPAIGN,
      state: 'sent',
      reason: null,
      created_at: instant(0),
      updated_at: instant(71),
      next_attempt_at: null,
      timeline: [
        { type: 'accepted', at: instant(0), campaign_version: 3 },
        {
          ...{ type: 'contact_resolved', at: instant(1), address: 'Ada@x.org' },
          ...{ contact_id: 'contact00000000001', contact_version: 2 },
        },
        { type: 'queued', at: instant(2), priority: 'normal', expires_at: null },
        { type: 'sending', at: instant(3), attempt: 1, next_hop: 'mx.x.org' },
        {
          ...{ type: 'deferred', at: instant(4), attempt: 1, retry_at: instant(63) },
          ...{ code: 'greylisted', detail: 'because of greylisted' },
        },
        { type: 'sent', at: instant(71), attempt: 2, next_hop: 'mx.x.org' },
      ],
      attempts: [
        { ...attempt(1, 3, 'deferred'), reason: reason('greylisted'), next_attempt_at: instant(63) },
        { ...attempt(2, 70, 'sent'), reason: null, next_attempt_at: null },
      ],
    });
  });

  it('names the copies that were left out when it was queued or retried, and why', () => {
    const [address, code] = ['cc@x.org', 'suppressed'];
    const suppressed_copies = [{ address, code, detail: 'x'.repeat(900) }];
    const told = view(m.requested(0), m.queued(2, { suppressed_copies }), m.sent(3, 1))!;
    expect(told.state).toBe('sent');
    expect(told.timeline[1]).toEqual({
      ...{ type: 'queued', at: instant(2), priority: 'normal', expires_at: null },
      suppressed_copies: [{ address, code, detail: `${'x'.repeat(199)}…` }],
    });
    const retried = view(m.requested(0), m.deferred(3, 1), m.retried(9, 2, { suppressed_copies }))!;
    expect(retried.timeline[2]).toMatchObject({ type: 'retried', attempt: 2, suppressed_copies: [{ address, code }] });
  });

  it('tells of each attempt whom it spoke to, how, and what each recipient was told', () => {
    const reply = { code: 450, enhanced: '4.2.1', text: 'x'.repeat(900) };
    const spoken = {
      ...{
        remote_address: '192.0.2.7',
        tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', verified: true },
      },
      recipients: [
        { address: 'ada@x.org', reply },
        { address: 'cc@x.org', reply: null },
      ],
    };
    const data = { account_id: 'a', message_id: id, attempt: { ...attempt(1, 3, 'sent'), ...spoken } };
    const [shown] = view(m.requested(0), told('MessageSent', 3, data))!.attempts;
    expect(shown).toMatchObject({ remote_address: '192.0.2.7', tls: spoken.tls });
    expect(shown!.recipients!.map(({ address, reply: one }) => [address, one?.code, one?.text.length])).toEqual([
      ['ada@x.org', 450, 200],
      ['cc@x.org', undefined, undefined],
    ]);
  });

  it('says when the next try is, as long as there is to be one', () => {
    const next = (...events: Received[]) => view(m.requested(0), ...events)!.next_attempt_at;
    expect(next()).toBeNull();
    expect(next(m.deferred(3, 1))).toBe(instant(63));
    expect(next(m.deferred(3, 1), m.sending(63, 2))).toBeNull();
    expect(next(m.deferred(3, 1), m.retried(9, 2))).toBe(instant(9));
    expect(next(m.uncertain(3, 1))).toBeNull();
    expect(next(m.deferred(3, 1), m.sent(63, 2))).toBeNull();
  });

  it('shows each attempt for the copies alone, what it left and when they are tried again', () => {
    const shown = view(m.requested(0), m.sentBut(3, 1, 63), m.copies(63, 2, 363), m.copiesGivenUp(400))!;
    expect(shown).toMatchObject({ state: 'sent', reason: null, next_attempt_at: null });
    const waiting = { waiting: ['cc@x.org'], given_up: [] };
    expect(shown.attempts).toEqual([
      { ...attempt(1, 3, 'sent'), reason: null, next_attempt_at: instant(63), copies: waiting },
      { ...attempt(2, 63, 'deferred'), reason: reason('greylisted'), next_attempt_at: instant(363), copies: waiting },
    ]);
    expect(shown.timeline.slice(1)).toEqual([
      {
        ...{ type: 'sent', at: instant(4), attempt: 1, next_hop: 'mx.x.org' },
        ...{ ...waiting, retry_at: instant(63) },
      },
      {
        ...{ type: 'copies', at: instant(64), attempt: 2, code: 'greylisted', detail: 'because of greylisted' },
        ...{ ...waiting, retry_at: instant(363) },
      },
      {
        ...{
          type: 'copies',
          at: instant(400),
          code: 'expired',
          detail: 'because of expired',
          waiting: [],
          retry_at: null,
        },
        given_up: [{ address: 'cc@x.org', ...reason('expired') }],
      },
    ]);
  });

  it('says when the copies are tried next', () => {
    const next = (...events: Received[]) => view(m.requested(0), ...events)!.next_attempt_at;
    expect(next(m.sentBut(3, 1, 63))).toBe(instant(63));
    expect(next(m.sentBut(3, 1, 63), m.sending(63, 2))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.sending(63, 2), m.copies(63, 2, 363))).toBe(instant(363));
    expect(next(m.sentBut(3, 1, 63), m.copies(63, 2, null))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.copiesGivenUp(63))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.returned(9))).toBe(instant(63));
    expect(next(m.sentBut(3, 1, null, []))).toBeNull();
  });

  it('gives the reason of the deciding event alone', () => {
    expect(view(m.requested(0), m.deferred(3, 1))?.reason).toMatchObject({ code: 'greylisted' });
    expect(view(m.requested(0), m.deferred(3, 1), m.sending(63, 2))?.reason).toBeNull();
    expect(view(m.requested(0), m.deferred(3, 1), m.sent(63, 2))?.reason).toBeNull();
    expect(view(m.requested(0), m.bounced(3, 1), m.failed(9))?.reason).toMatchObject({ code: 'mailbox_unknown' });
    expect(view(m.requested(0), m.suppressed(3))?.reason).toMatchObject({ code: 'suppressed' });
  });

  it('leaves out what is not there', () => {
    expect(view(m.requested(0))).not.toHaveProperty('external_message_id');
    expect(view(m.requested(0), m.failed(1))?.timeline[1]).toEqual({
      ...{ type: 'failed', at: instant(1), code: 'render_error', detail: 'because of render_error' },
    });
  });

  it('shows a conversation once that two events report, and both of two with one number', () => {
    expect(view(m.requested(0), m.deferred(3, 1), m.usedUp(3, 1))?.attempts).toEqual([
      { ...attempt(1, 3, 'failed'), reason: reason('attempts_used_up'), next_attempt_at: null },
    ]);
    const two = [attempt(1, 3, 'unknown'), attempt(1, 9, 'sent')];
    expect(view(m.requested(0), m.sent(9, 1), m.uncertain(3, 1))?.attempts).toMatchObject(two);
  });

  it('shows once what a retry of the sender told again', () => {
    const again = view(m.requested(0), m.requested(5), m.resolved(1), m.resolved(6), m.queued(2), m.queued(7));
    expect(again?.timeline.map(({ type }) => type)).toEqual(['accepted', 'contact_resolved', 'queued']);
    expect(again).toMatchObject({ created_at: instant(0), updated_at: instant(2) });
  });

  it('keeps no body and no profile, and long texts cut', () => {
    const long = { ...attempt(1, 3, 'sent'), reply: { code: 250, enhanced: null, text: 'x'.repeat(5000) } };
    const sent = told('MessageSent', 3, { account_id: 'a', message_id: id, attempt: long });
    const facts = factsOf([m.requested(0, { profile_data: { secret: 2 } }), m.resolved(1), m.queued(2), sent]);
    expect(JSON.stringify(facts)).not.toMatch(/secret|body/);
    expect(JSON.stringify(facts).length).toBeLessThan(2500);
  });

  it('refuses an event whose time is none', () => {
    expect(() => factOf({ ...m.resolved(1), time: 'yesterday' })).toThrow(RangeError);
  });
});

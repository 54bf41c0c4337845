import type { ReceivedEvent } from '@lettermill/events';
import {
  attempt,
  CAMPAIGN,
  eventsOf,
  factsOf,
  instant,
  messageId,
  reason,
  REQUEST_ID,
  received,
} from '../testing/events';
import { answerOf } from './message.answer';

const id = messageId(0);
const m = eventsOf(id);

const answer = (...events: ReceivedEvent[]) => answerOf(id, factsOf(events));

describe('answerOf', () => {
  it('shows reports of later servers and recipients beside the attempts', () => {
    const { timeline, attempts, reason } = answer(m.requested(0), m.sent(3, 1), m.returned(9), m.complained(12))!;
    expect(timeline.slice(-2)).toEqual([
      {
        type: 'bounced',
        at: instant(9),
        asynchronous: true,
        address: 'ada@x.org',
        status: '5.1.1',
        code: 'mailbox_unknown',
        detail: 'because of mailbox_unknown',
      },
      { type: 'complained', at: instant(12), address: 'ada@x.org' },
    ]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(reason).toEqual({ code: 'mailbox_unknown', detail: 'because of mailbox_unknown' });
  });

  it('shows when the copies of a bounced message are tried again', () => {
    const copies = { waiting: ['cc@x.org'], given_up: [], retry_at: instant(63) };
    const bounced = received('MessageBounced', 3, {
      account_id: 'a',
      message_id: id,
      attempt: attempt(1, 3, 'bounced'),
      reason: reason('mailbox_unknown'),
      address: 'ada@x.org',
      hard: true,
      copies,
    });
    expect(answer(m.requested(0), bounced)).toMatchObject({ state: 'bounced', next_attempt_at: instant(63) });
  });

  it('shows the next attempt as it was decided last', () => {
    const twice = [m.deferred(3, 1, 63), m.deferred(8, 1, 90)];
    expect(answer(m.requested(0), ...twice)?.next_attempt_at).toBe(instant(90));
    expect(answer(m.requested(0), ...twice.reverse())?.next_attempt_at).toBe(instant(90));
  });

  it('returns nothing before the message is known to be accepted', () => {
    expect(answer(m.resolved(1), m.queued(2))).toBeUndefined();
  });

  it('shows the whole way of a message', () => {
    const events = [
      m.requested(0, { external_message_id: 'order-7' }),
      m.resolved(1),
      m.queued(2),
      m.sending(3, 1),
      m.deferred(3, 1),
      m.sent(70, 2),
    ];
    expect(answer(...events)).toEqual({
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
          type: 'contact_resolved',
          at: instant(1),
          address: 'Ada@x.org',
          contact_id: 'contact00000000001',
          contact_version: 2,
        },
        { type: 'queued', at: instant(2), priority: 'normal', expires_at: null },
        { type: 'sending', at: instant(3), attempt: 1, next_hop: 'mx.x.org' },
        {
          type: 'deferred',
          at: instant(4),
          attempt: 1,
          retry_at: instant(63),
          code: 'greylisted',
          detail: 'because of greylisted',
        },
        { type: 'sent', at: instant(71), attempt: 2, next_hop: 'mx.x.org' },
      ],
      attempts: [
        { ...attempt(1, 3, 'deferred'), reason: reason('greylisted'), next_attempt_at: instant(63) },
        { ...attempt(2, 70, 'sent'), reason: null, next_attempt_at: null },
      ],
    });
  });

  it('names the copies that were left out when the message was queued or retried, and why', () => {
    const [address, code] = ['cc@x.org', 'suppressed'];
    const suppressed_copies = [{ address, code, detail: 'x'.repeat(900) }];
    const told = answer(m.requested(0), m.queued(2, { suppressed_copies }), m.sent(3, 1))!;
    expect(told.state).toBe('sent');
    expect(told.timeline[1]).toEqual({
      type: 'queued',
      at: instant(2),
      priority: 'normal',
      expires_at: null,
      suppressed_copies: [{ address, code, detail: `${'x'.repeat(199)}…` }],
    });
    const retried = answer(m.requested(0), m.deferred(3, 1), m.retried(9, 2, { suppressed_copies }))!;
    expect(retried.timeline[2]).toMatchObject({ type: 'retried', attempt: 2, suppressed_copies: [{ address, code }] });
  });

  it('shows for each attempt the server, the TLS connection and the reply to each recipient', () => {
    const reply = { code: 450, enhanced: '4.2.1', text: 'x'.repeat(900) };
    const spoken = {
      remote_address: '192.0.2.7',
      tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', verified: true },
      recipients: [
        { address: 'ada@x.org', reply },
        { address: 'cc@x.org', reply: null },
      ],
    };
    const data = { account_id: 'a', message_id: id, attempt: { ...attempt(1, 3, 'sent'), ...spoken } };
    const [shown] = answer(m.requested(0), received('MessageSent', 3, data))!.attempts;
    expect(shown).toMatchObject({ remote_address: '192.0.2.7', tls: spoken.tls });
    expect(shown!.recipients!.map(({ address, reply: one }) => [address, one?.code, one?.text.length])).toEqual([
      ['ada@x.org', 450, 200],
      ['cc@x.org', undefined, undefined],
    ]);
  });

  it('shows when the next attempt is, as long as there is to be one', () => {
    const next = (...events: ReceivedEvent[]) => answer(m.requested(0), ...events)!.next_attempt_at;
    expect(next()).toBeNull();
    expect(next(m.deferred(3, 1))).toBe(instant(63));
    expect(next(m.deferred(3, 1), m.sending(63, 2))).toBeNull();
    expect(next(m.deferred(3, 1), m.retried(9, 2))).toBe(instant(9));
    expect(next(m.uncertain(3, 1))).toBeNull();
    expect(next(m.deferred(3, 1), m.sent(63, 2))).toBeNull();
  });

  it('shows each attempt for the copies only, what it left and when they are tried again', () => {
    const shown = answer(m.requested(0), m.sentBut(3, 1, 63), m.copies(63, 2, 363), m.copiesGivenUp(400))!;
    expect(shown).toMatchObject({ state: 'sent', reason: null, next_attempt_at: null });
    const waiting = { waiting: ['cc@x.org'], given_up: [] };
    expect(shown.attempts).toEqual([
      { ...attempt(1, 3, 'sent'), reason: null, next_attempt_at: instant(63), copies: waiting },
      { ...attempt(2, 63, 'deferred'), reason: reason('greylisted'), next_attempt_at: instant(363), copies: waiting },
    ]);
    expect(shown.timeline.slice(1)).toEqual([
      {
        type: 'sent',
        at: instant(4),
        attempt: 1,
        next_hop: 'mx.x.org',
        ...waiting,
        retry_at: instant(63),
      },
      {
        type: 'copies',
        at: instant(64),
        attempt: 2,
        code: 'greylisted',
        detail: 'because of greylisted',
        ...waiting,
        retry_at: instant(363),
      },
      {
        type: 'copies',
        at: instant(400),
        code: 'expired',
        detail: 'because of expired',
        waiting: [],
        retry_at: null,
        given_up: [{ address: 'cc@x.org', ...reason('expired') }],
      },
    ]);
  });

  it('shows when the copies are tried next', () => {
    const next = (...events: ReceivedEvent[]) => answer(m.requested(0), ...events)!.next_attempt_at;
    expect(next(m.sentBut(3, 1, 63))).toBe(instant(63));
    expect(next(m.sentBut(3, 1, 63), m.sending(63, 2))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.sending(63, 2), m.copies(63, 2, 363))).toBe(instant(363));
    expect(next(m.sentBut(3, 1, 63), m.copies(63, 2, null))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.copiesGivenUp(63))).toBeNull();
    expect(next(m.sentBut(3, 1, 63), m.returned(9))).toBe(instant(63));
    expect(next(m.sentBut(3, 1, null, []))).toBeNull();
    expect(next(m.sentBut(63, 1, 123), m.copies(3, 2, 363))).toBe(instant(363));
    expect(next(m.sentBut(3, 1, 63), m.sending(9, 1))).toBe(instant(63));
  });

  it('shows the reason of the deciding event only', () => {
    expect(answer(m.requested(0), m.deferred(3, 1))?.reason).toMatchObject({ code: 'greylisted' });
    expect(answer(m.requested(0), m.deferred(3, 1), m.sending(63, 2))?.reason).toBeNull();
    expect(answer(m.requested(0), m.deferred(3, 1), m.sent(63, 2))?.reason).toBeNull();
    expect(answer(m.requested(0), m.bounced(3, 1), m.failed(9))?.reason).toMatchObject({ code: 'mailbox_unknown' });
    expect(answer(m.requested(0), m.suppressed(3))?.reason).toMatchObject({ code: 'suppressed' });
  });

  it('leaves out what is missing', () => {
    expect(answer(m.requested(0))).not.toHaveProperty('external_message_id');
    expect(answer(m.requested(0), m.failed(1))?.timeline[1]).toEqual({
      type: 'failed',
      at: instant(1),
      code: 'render_error',
      detail: 'because of render_error',
    });
  });

  it('shows one conversation that two events report once, and two with the same number both', () => {
    expect(answer(m.requested(0), m.deferred(3, 1), m.usedUp(3, 1))?.attempts).toEqual([
      { ...attempt(1, 3, 'failed'), reason: reason('attempts_used_up'), next_attempt_at: null },
    ]);
    const two = [attempt(1, 3, 'unknown'), attempt(1, 9, 'sent')];
    expect(answer(m.requested(0), m.sent(9, 1), m.uncertain(3, 1))?.attempts).toMatchObject(two);
  });

  it('shows the more definite outcome of one conversation that two events report, also if the other was recorded later', () => {
    const unsure = received('MessageUncertain', 3, {
      account_id: 'a',
      message_id: id,
      attempt: { ...attempt(1, 3, 'unknown'), ended_at: instant(63) },
      reason: reason('uncertain'),
      retry_at: null,
    });
    expect(answer(m.requested(0), m.sent(3, 1), unsure)?.attempts).toMatchObject([attempt(1, 3, 'sent')]);
  });

  it('shows the attempts by their numbers, even if the clocks of those who made them differ', () => {
    const attempts = answer(m.requested(0), m.deferred(70, 1), m.sent(3, 2))!.attempts;
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('shows only the first of repeated events', () => {
    const again = answer(m.requested(0), m.requested(5), m.resolved(1), m.resolved(6), m.queued(2), m.queued(7));
    expect(again?.timeline.map(({ type }) => type)).toEqual(['accepted', 'contact_resolved', 'queued']);
    expect(again).toMatchObject({ created_at: instant(0), updated_at: instant(2) });
  });
});

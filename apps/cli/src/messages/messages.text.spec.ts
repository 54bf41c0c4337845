import type { AttemptEntry, MessageAnswer } from '@lettermill/events';
import { messageText } from './messages.text';

const attempt = (number: number, more: Partial<AttemptEntry>): AttemptEntry => ({
  number,
  at: `2026-03-01T09:3${number}:00.000Z`,
  ended_at: `2026-03-01T09:3${number}:01.000Z`,
  next_hop: 'smtp.example.net:587',
  outcome: 'deferred',
  reply: null,
  reason: null,
  next_attempt_at: null,
  ...more,
});

const message: MessageAnswer = {
  message_id: '0WGrMLPZ3kQx7Tn2Bv',
  request_id: '019aa5c1-3f6e-7b1c-9d58-0b7a43c5f7e2',
  contact_key: { email: 'ada@example.com' },
  campaign: { id: 'B'.repeat(18), slug: 'receipt', version: 3 },
  state: 'accepted',
  reason: null,
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  next_attempt_at: null,
  timeline: [{ type: 'accepted', at: '2026-03-01T09:30:00.000Z' }],
  attempts: [],
};

describe('a message as text', () => {
  it('has only what is known of it', () => {
    expect(messageText(message).split('\n')).toEqual([
      'message      0WGrMLPZ3kQx7Tn2Bv',
      'state        accepted',
      'contact      email ada@example.com',
      'campaign     receipt, version 3',
      'request      019aa5c1-3f6e-7b1c-9d58-0b7a43c5f7e2',
      '',
      'AT                        STEP',
      '2026-03-01T09:30:00.000Z  accepted',
      '',
      'No attempts.',
      '',
    ]);
  });

  it('shows why it is where it is, and what each attempt was answered', () => {
    const reply = { code: 450, enhanced: '4.2.1', text: 'Try again later' };
    const deferred: MessageAnswer = {
      ...message,
      state: 'deferred',
      external_message_id: 'order-1',
      reason: { code: 'greylisted', detail: '450 4.2.1 Try again later' },
      next_attempt_at: '2026-03-01T09:35:00.000Z',
      attempts: [
        attempt(1, { detail: 'The connection was refused.' }),
        attempt(2, { reply }),
        attempt(3, { reply: { ...reply, enhanced: null, text: '' } }),
        attempt(4, { outcome: 'unknown' }),
      ],
    };
    const lines = messageText(deferred).split('\n');
    expect(lines.slice(1, 4)).toEqual([
      'state        deferred',
      'reason       greylisted. 450 4.2.1 Try again later',
      'next try     2026-03-01T09:35:00.000Z',
    ]);
    expect(lines).toContain('external id  order-1');
    expect(lines.slice(-6)).toEqual([
      'ATTEMPT  AT                        NEXT HOP              OUTCOME   ANSWER',
      '1        2026-03-01T09:31:00.000Z  smtp.example.net:587  deferred  The connection was refused.',
      '2        2026-03-01T09:32:00.000Z  smtp.example.net:587  deferred  450 4.2.1 Try again later',
      '3        2026-03-01T09:33:00.000Z  smtp.example.net:587  deferred  450',
      '4        2026-03-01T09:34:00.000Z  smtp.example.net:587  unknown',
      '',
    ]);
  });

  it('names the address that was written to, and what became of the copies', () => {
    const timeline: MessageAnswer['timeline'] = [
      { type: 'contact_resolved', at: message.created_at, address: 'ada@example.com' },
      {
        type: 'queued',
        at: message.created_at,
        suppressed_copies: [{ address: 'held@example.com', code: 'unsubscribed', detail: 'By link.' }],
      },
      {
        type: 'sent',
        at: message.created_at,
        attempt: 1,
        waiting: ['waits@example.com', 'waits2@example.com'],
        given_up: [{ address: 'gone@example.com', code: 'mailbox_unknown', detail: '550 5.1.1 No such user' }],
      },
    ];
    const next = { next_attempt_at: '2026-03-01T09:35:00.000Z' };
    const text = (state: MessageAnswer['state']) =>
      messageText({ ...message, ...next, state, contact_key: { crm_id: 'C-77' }, timeline });
    expect(text('sent').split('\n').slice(0, 10)).toEqual([
      'message             0WGrMLPZ3kQx7Tn2Bv',
      'state               sent',
      'next try of copies  2026-03-01T09:35:00.000Z',
      'contact             crm_id C-77',
      'address             ada@example.com',
      'copies waiting      waits@example.com, waits2@example.com',
      'copy given up       gone@example.com: mailbox_unknown. 550 5.1.1 No such user',
      'copy suppressed     held@example.com: unsubscribed. By link.',
      'campaign            receipt, version 3',
      'request             019aa5c1-3f6e-7b1c-9d58-0b7a43c5f7e2',
    ]);
    expect(text('bounced')).toMatch(/^next try of copies +2026/m);
    expect(text('deferred')).toMatch(/^next try +2026/m);
  });

  it('does not let a reply or a key control the terminal', () => {
    const text = messageText({
      ...message,
      contact_key: { nick: 'a\u001b[2Jb' },
      attempts: [attempt(1, { reply: { code: 250, enhanced: null, text: 'ok\u001b[31m\u0007' } })],
    });
    expect(text).not.toMatch(/[\u001b\u0007]/);
  });
});

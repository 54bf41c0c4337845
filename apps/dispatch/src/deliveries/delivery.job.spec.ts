import { queued } from '../testing/dispatch.service';
import type { ClaimedDelivery } from './deliveries.store';
import type { Envelope, Rest } from '../lifecycle/delivery';
import {
  canUnsubscribe,
  domainOf,
  envelopeOf,
  jobOf,
  mainRecipientOf,
  retryRecipients,
  sendingDelivery,
} from './delivery.job';

describe('the domain that an attempt is counted for', () => {
  it.each([
    ['ada@Example.COM', 'example.com'],
    ['ada@münchen.example', 'xn--mnchen-3ya.example'],
    ['ada@xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['"a@b"@example.com', 'example.com'],
  ])('of %s is %s', (address, domain) => {
    expect(domainOf(address)).toBe(domain);
  });
});

describe('a delivery', () => {
  const [ada, cc] = ['ada@example.com', 'cc@example.com'];
  const mail = queued(1, 'ada', { envelope: { from: 'shop@example.com', to: [ada, cc] } });
  const content = JSON.stringify(mail);
  const claimed = (rest?: Rest): ClaimedDelivery => ({
    accountId: 'default',
    messageId: mail.message_id,
    attempts: 2,
    claimedAt: 0,
    content,
    ...(rest && { rest }),
  });

  it.each<[string, Rest | undefined, Envelope, string[]]>([
    ['the whole envelope', undefined, { from: 'shop@example.com', to: [ada, cc], main: ada }, [ada, cc]],
    ['the main recipient alone', { to: [ada], after: null }, { from: 'shop@example.com', to: [ada], main: ada }, [ada]],
    [
      'copies alone',
      { to: [cc], after: 'bounced' },
      { from: 'shop@example.com', to: [cc], main: null },
      // Of a retry that somebody asks for.
      [ada, cc],
    ],
  ])('goes to %s', (_, rest, envelope, again) => {
    expect(envelopeOf(claimed(rest), mail)).toEqual(envelope);
    expect(retryRecipients({ content, rest })).toEqual(again);
  });

  it('keeps what it was claimed with', () => {
    const known = { accountId: 'default', messageId: mail.message_id, state: 'sending', attempts: 2, dueAt: null };
    expect(sendingDelivery(claimed())).toEqual(known);
    const doubt = { mayHaveArrived: true, mayHaveArrivedBefore: true } as const;
    const more = { rest: { to: [cc], after: 'sent' as const }, ...doubt };
    expect(sendingDelivery({ ...claimed(), ...more })).toEqual({ ...known, ...more });
  });

  it.each([null, '', '{', 'null'])('without content (%j) has no job', (none) => {
    expect([jobOf({ content: none }), mainRecipientOf(none), canUnsubscribe(none)]).toEqual([undefined, null, false]);
    expect(retryRecipients({ content: none })).toEqual([]);
  });

  it('has its terms and its main recipient from its content', () => {
    expect([mainRecipientOf(content), canUnsubscribe(content)]).toEqual([ada, false]);
    expect(jobOf({ content })?.terms).toEqual({ expiresAt: null, onUncertain: 'retry', address: ada });
    const expires_at = '2026-01-02T03:04:05.000Z';
    expect(jobOf({ content: JSON.stringify({ ...mail, expires_at }) })?.terms.expiresAt).toBe(Date.parse(expires_at));
    const headers = [
      ['X-A', 'b'],
      ['List-Unsubscribe', '<https://example.com>'],
    ];
    expect(canUnsubscribe(JSON.stringify({ ...mail, mail: { ...mail.mail, headers } }))).toBe(true);
  });
});

import type { CopiesLeft, ReceivedEvent } from '@lettermill/events';
import { attemptEvent, bounced, copiesLeft } from '../testing/refused.events';
import { messageId } from '../testing/requested';
import { causeDetail, suppressionsOf } from './suppression';

describe('suppressionsOf', () => {
  it('returns none for a bounce that the mailbox did not cause', () => {
    expect(suppressionsOf(bounced(1, 'ada@x.org', false))).toEqual([]);
  });

  it('returns the same address for every spelling of the mailbox', () => {
    expect(suppressionsOf(bounced(1, 'Ada@BÜCHER.example'))).toMatchObject([{ address: 'ada@xn--bcher-kva.example' }]);
  });

  it('returns address, reason and message of a hard bounce; its origin does not name the address', () => {
    const [suppression, ...others] = suppressionsOf(bounced(1, 'Ada@X.org'));
    expect(others).toEqual([]);
    const at = Date.parse('2026-03-01T10:00:00Z');
    expect(suppression).toEqual({
      accountId: 'a',
      address: 'ada@x.org',
      reason: 'mailbox_unknown',
      messageId: messageId(1),
      at,
      eventId: 'event1',
    });
    expect(causeDetail(suppression!)).toBe(
      `The mailbox refused message ${messageId(1)} permanently at 2026-03-01T10:00:00.000Z.`,
    );
  });
});

describe('copies that the next hop refuses', () => {
  const suppressionOf = (address: string, reason = 'domain_unknown') => ({
    accountId: 'a',
    address,
    reason,
    messageId: messageId(1),
    at: Date.parse('2026-03-01T10:00:00.000Z'),
    eventId: 'event1',
  });

  it('are suppressed if their mailboxes are the cause, each for itself, although the message is sent', () => {
    const suppressed = [suppressionOf('cc@x.org'), suppressionOf('bcc@xn--bcher-kva.example')];
    const copies = copiesLeft('CC@x.org', 'bcc@bücher.example');
    expect(suppressionsOf(attemptEvent('MessageSent', copies))).toEqual(suppressed);
    expect(suppressionsOf(attemptEvent('MessageCopiesTried', copies))).toEqual(suppressed);
    expect(suppressionsOf(attemptEvent('MessageSent', copiesLeft()))).toEqual([]);
  });

  it('are suppressed beside the recipient, or alone if the recipient is refused for another cause', () => {
    const copies = copiesLeft('cc@x.org');
    const both = [suppressionOf('ada@x.org', 'mailbox_unknown'), suppressionOf('cc@x.org')];
    expect(suppressionsOf(attemptEvent('MessageBounced', copies))).toEqual(both);
    expect(suppressionsOf(attemptEvent('MessageBounced', copies, { hard: false }))).toEqual([
      suppressionOf('cc@x.org'),
    ]);
  });

  it('are not suppressed if they were given up without an attempt', () => {
    expect(suppressionsOf(attemptEvent('MessageCopiesTried', copiesLeft(), { attempt: undefined }))).toEqual([]);
  });

  it('are none in an event without copies', () => {
    const { copies: _, ...data } = attemptEvent('MessageSent', copiesLeft()).data as { copies?: CopiesLeft };
    expect(suppressionsOf({ ...attemptEvent('MessageSent', copiesLeft()), data } as ReceivedEvent)).toEqual([]);
  });
});

describe('a report after a message was sent', () => {
  const reportEvent = (type: 'MessageReturned' | 'MessageComplained', more: object = {}) => {
    const event = bounced(1, 'Ada@X.org');
    const data = { account_id: 'a', message_id: messageId(1), address: 'Ada@X.org', ...more };
    return { ...event, type, data } as unknown as ReceivedEvent;
  };
  const reason = { code: 'domain_unknown', detail: '' };

  it('suppresses the address if a later server has no such mailbox, or the recipient complained', () => {
    const returned = reportEvent('MessageReturned', { own: true, hard: true, status: null, reason });
    expect(suppressionsOf(returned)).toMatchObject([{ address: 'ada@x.org', reason: 'domain_unknown' }]);
    const [complained] = suppressionsOf(reportEvent('MessageComplained'));
    expect(complained).toMatchObject({ address: 'ada@x.org', reason: 'complained' });
    expect(causeDetail(complained!)).toBe(
      `The recipient reported message ${messageId(1)} as unwanted at 2026-03-01T10:00:00.000Z.`,
    );
  });

  it('suppresses nobody whose mailbox was only full', () => {
    expect(suppressionsOf(reportEvent('MessageReturned', { own: true, hard: false, status: '5.2.2', reason }))).toEqual(
      [],
    );
  });
});

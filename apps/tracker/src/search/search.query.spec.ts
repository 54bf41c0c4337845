import type { Problem } from '@lettermill/problems';
import { messageId } from '../testing/events';
import { cursorOf, instantOf, readSearchQuery } from './search.query';

function faultsOf(query: Record<string, unknown>): string[] {
  try {
    readSearchQuery(query);
    return [];
  } catch (problem) {
    return (problem as Problem).faults.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('readSearchQuery', () => {
  it.each([
    [{ limit: '0' }, '/query/limit bad_format'],
    [{ limit: '101' }, '/query/limit bad_format'],
    [{ limit: '1e1' }, '/query/limit bad_format'],
    [{ limit: '' }, '/query/limit bad_format'],
    [{ limit: ['1', '2'] }, '/query/limit wrong_type'],
    [{ reason: ['mailbox_full', 'mailbox_full'] }, '/query/reason wrong_type'],
    [{ state: ['sent', 'lost'] }, '/query/state not_allowed_value'],
    [{ cursor: 'nonsense' }, '/query/cursor bad_format'],
    [{ cursor: '' }, '/query/cursor bad_format'],
    [{ state: 'lost' }, '/query/state not_allowed_value'],
    [{ state: 'sent,lost' }, '/query/state not_allowed_value'],
    [{ state: 'sent,' }, '/query/state not_allowed_value'],
    [{ state: 'sent, failed' }, '/query/state not_allowed_value'],
    [{ state: '' }, '/query/state not_allowed_value'],
    [{ state: 'constructor' }, '/query/state not_allowed_value'],
    [{ reason: 'bad_luck' }, '/query/reason not_allowed_value'],
    [{ reason: 'toString' }, '/query/reason not_allowed_value'],
    [{ external_message_id: 'a b' }, '/query/external_message_id bad_format'],
    [{ external_message_id: 'x'.repeat(129) }, '/query/external_message_id bad_format'],
    [{ contact: '' }, '/query/contact too_short'],
    [{ contact: 'x'.repeat(1001) }, '/query/contact too_long'],
    [{ campaign: 'a!' }, '/query/campaign bad_format'],
    [{ request_id: '1' }, '/query/request_id bad_format'],
    [{ from: 'yesterday' }, '/query/from bad_format'],
    [{ to: '2026-02-30T00:00:00Z' }, '/query/to bad_format'],
    [{ 'a/~': '1' }, '/query/a~1~0 unknown_property'],
    [{ constructor: '1' }, '/query/constructor unknown_property'],
  ] as [Record<string, unknown>, string][])('refuses %j', (query, fault) => {
    expect(faultsOf(query)).toEqual([fault]);
  });

  it('reports every fault at once', () => {
    expect(faultsOf({ limit: 'x', state: 'x', page: '1' })).toHaveLength(3);
  });

  it('reads every parameter', () => {
    const read = readSearchQuery({
      external_message_id: 'order-1',
      contact: 'Ada@x.org',
      campaign: 'welcome',
      state: 'sent',
      limit: '100',
      reason: 'mailbox_full',
      request_id: '0190B0E0-0000-7000-8000-000000000000',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      cursor: cursorOf(messageId(1)),
    });
    expect(read).toEqual({
      filter: {
        externalMessageId: 'order-1',
        contact: ['=Ada@x.org', '@ada@x.org'],
        campaign: 'welcome',
        states: ['sent'],
        reason: 'mailbox_full',
        requestId: '0190b0e0-0000-7000-8000-000000000000',
        from: Date.UTC(2026, 0, 1),
        to: Date.UTC(2026, 0, 2),
      },
      page: { limit: 100, before: messageId(1) },
    });
    for (const state of ['deferred,sent,deferred', ['deferred', 'sent,deferred']])
      expect(readSearchQuery({ state }).filter).toEqual({ states: ['deferred', 'sent'] });
    expect(readSearchQuery({})).toEqual({ filter: {}, page: { limit: 20 } });
  });
});

describe('instantOf', () => {
  it.each([
    ['2026-01-31T08:00:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31t08:00:00.25z', Date.UTC(2026, 0, 31, 8) + 250],
    ['2026-01-31T08:00:00+02:00', Date.UTC(2026, 0, 31, 6)],
    ['2026-01-31T08:00:00 02:00', Date.UTC(2026, 0, 31, 6)],
    ['2026-01-31T08:00:00.123456-01:30', Date.UTC(2026, 0, 31, 9, 30) + 123],
  ])('reads %s', (text, ms) => expect(instantOf(text)).toBe(ms));

  it.each([
    ['2026-01-31', '2026-01-31T08:00:00', '2026-01-31 08:00:00Z', '2026-13-01T00:00:00Z', '2026-01-31T24:00:00Z'],
    ['2026-01-31T08:60:00Z', '2026-01-31T08:00:60Z', '1767225600', '', '2026-01-31T08:00:00+2:00'],
  ])('refuses what is not an instant', (...texts) => {
    for (const text of texts) expect([text, instantOf(text)]).toEqual([text, undefined]);
  });
});

import fc from 'fast-check';
import { decodeEvent, encodeEvent, recordFactory, type EventFault, schemaUri } from './codec';
import type { Event } from './event';
import { derivedId, newId, newUuid, timeOfId } from './ids';

const sent: Event<'MessageSent'> = {
  id: 'e1',
  type: 'MessageSent',
  source: 'dispatch',
  time: '2026-01-02T03:04:05.678Z',
  key: 'default:email:ada@example.com',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  data: {
    account_id: 'default',
    message_id: 'A'.repeat(18),
    attempt: {
      number: 1,
      at: '2026-01-02T03:04:05.678Z',
      ended_at: '2026-01-02T03:04:05.700Z',
      next_hop: 'hop:25',
      outcome: 'sent',
      reply: { code: 250, enhanced: '2.0.0', text: 'ok 🦉' },
    },
  },
};
const placeOnLog = { partition: 3, position: 7 };
const codeOf = (record: Parameters<typeof decodeEvent>[0]) => {
  try {
    decodeEvent(record);
    return undefined;
  } catch (error) {
    return (error as EventFault).code;
  }
};

describe('events on the log', () => {
  it('are CloudEvents in binary mode and decode to what was encoded', () => {
    const record = encodeEvent(sent);
    expect(record.headers).toMatchObject({
      ce_specversion: '1.0',
      ce_type: 'MessageSent',
      ce_source: '/lettermill/dispatch',
      ce_dataschema: schemaUri('MessageSent'),
      'content-type': 'application/json',
      traceparent: sent.traceparent,
    });
    expect(decodeEvent({ ...record, ...placeOnLog })).toEqual({ ...sent, ...placeOnLog, topic: 'message-outcome' });
  });

  it('can be written from JSON text', () => {
    const { id, key, data, ...alike } = sent;
    expect(recordFactory(alike)(id, key, JSON.stringify(data))).toEqual(encodeEvent(sent));
  });

  it('are refused by code when a record is not a valid event', () => {
    const record = { ...encodeEvent(sent), ...placeOnLog };
    const headers = (more: Record<string, string>) => ({ ...record, headers: { ...record.headers, ...more } });
    expect(codeOf(headers({ ce_type: 'MessageEaten' }))).toBe('event_type_unknown');
    expect(codeOf(headers({ ce_type: 'constructor' }))).toBe('event_type_unknown');
    expect(codeOf({ ...record, headers: {} })).toBe('event_type_unknown');
    expect(codeOf({ ...record, topic: 'message-queued' })).toBe('event_type_unknown');
    expect(codeOf(headers({ ce_id: '' }))).toBe('event_schema_broken');
    expect(codeOf({ ...record, value: Buffer.from('{') })).toBe('event_not_json');
    expect(codeOf({ ...record, value: Buffer.from('{}') })).toBe('event_schema_broken');
    const more = { ...sent.data, surprise: 1 };
    expect(codeOf({ ...record, value: Buffer.from(JSON.stringify(more)) })).toBe('event_schema_broken');
  });
});

describe('ids', () => {
  it('have 18 letters and digits, are unique and sort by time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3e12 }), fc.integer({ min: 1, max: 1e6 }), (time, later) => {
        const [a, b] = [newId(time), newId(time + later)];
        expect(a).toMatch(/^[A-Za-z0-9]{18}$/);
        expect(a < b).toBe(true);
      }),
    );
    expect(new Set(Array.from({ length: 10_000 }, () => newId(1))).size).toBe(10_000);
  });

  it('of requests are UUIDs of version 7, unique and sorted by the millisecond', () => {
    const ids = Array.from({ length: 10_000 }, newUuid);
    expect(new Set(ids).size).toBe(10_000);
    const times = ids.map((id) => id.slice(0, 13));
    expect([...times].sort()).toEqual(times);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('of derived events depend only on their cause and kind', () => {
    expect(derivedId('abc', 'queued')).toBe(derivedId('abc', 'queued'));
    expect(derivedId('abc', 'queued')).not.toBe(derivedId('abd', 'queued'));
  });
});

describe('the time in an id', () => {
  it('is when the id was made, to the millisecond', () => {
    for (const at of [0, 1_700_000_000_123, 62 ** 7 - 1]) expect(timeOfId(newId(at))).toBe(at);
  });
});

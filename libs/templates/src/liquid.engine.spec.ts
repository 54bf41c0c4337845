import { inUtc } from './liquid.engine';

describe('a date in the data', () => {
  it.each([
    ['2026-03-01 10:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    ['March 1, 2026', '2026-03-01T00:00:00.000Z'],
    ['March 1, 2026 10:00 PM', '2026-03-01T22:00:00.000Z'],
  ])('without a zone (%s) is in UTC, whatever the zone of the machine', (text, instant) => {
    const read = inUtc(text);
    expect(read).not.toBe(text);
    expect(new Date(read).toISOString()).toBe(instant);
  });

  it.each([
    '2026-03-01T10:00Z',
    '2026-03-01T10:00+02:00',
    '2026-03-01 10:00 +0200',
    'Sun, 01 Mar 2026 10:00:00 GMT',
    'Sun Mar 01 2026 10:00:00 GMT+0100 (CET)',
    '1772359200',
    '2026',
    'hello',
  ])('with a zone, or that is not a date, stays unchanged (%s)', (text) => {
    expect(inUtc(text)).toBe(text);
  });
});

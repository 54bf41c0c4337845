import { instantOf, parseFilter, parseSince } from './arguments';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');

describe('a time on the command line', () => {
  it.each([
    ['90s', '2026-11-21T11:58:30.000Z'],
    ['30m', '2026-11-21T11:30:00.000Z'],
    ['2h', '2026-11-21T10:00:00.000Z'],
    ['7d', '2026-11-14T12:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
  ])('%s is %s', (text, instant) => expect(instantOf(text, NOW)).toBe(instant));

  it.each([
    '',
    '2',
    'h',
    '2w',
    '-2h',
    '2026-13-01',
    'yesterday',
    '9999999d',
    '999999d',
    '2026-09-31',
    '2026-02-29T10:00:00Z',
  ])('«%s» is not valid', (text) => {
    expect(instantOf(text, NOW)).toBeUndefined();
  });
});

it('a filter is refused the second time, as only one of the two would count', () => {
  expect(parseFilter('sale', undefined)).toBe('sale');
  expect(() => parseFilter('sale', 'order')).toThrow('only once');
  expect(() => parseSince('2h', '1h')).toThrow('only once');
});

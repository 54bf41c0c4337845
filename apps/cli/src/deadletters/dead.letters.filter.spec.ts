import { filterOf, filterText, instantOf } from './dead.letters.filter';

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

  it.each(['', '2', 'h', '2w', '-2h', '2026-13-01', 'yesterday', '9999999d'])('«%s» is none', (text) => {
    expect(instantOf(text, NOW)).toBeUndefined();
  });
});

describe('a filter', () => {
  it('holds what was asked and nothing else', () => {
    expect(filterOf({}, NOW)).toEqual({});
    expect(filterOf({ topic: 't', group: 'g', code: 'c', since: '1h' }, NOW)).toEqual({
      ...{ topic: 't', group: 'g', code: 'c' },
      since: '2026-11-21T11:00:00.000Z',
    });
  });

  it('is said without the moment of asking', () => {
    expect(filterText({ until: '2026-11-21T12:00:00.000Z' })).toBe('all of them');
    expect(filterText({ topic: 't', code: 'c', until: '2026-11-21T12:00:00.000Z' })).toBe('topic t, code c');
  });
});

import { filterOf, filterText } from './dead.letters.filter';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');

describe('a filter of dead letters', () => {
  it('has what was asked for and nothing else', () => {
    expect(filterOf({}, NOW)).toEqual({});
    expect(filterOf({ topic: 't', group: 'g', code: 'c', since: '1h' }, NOW)).toEqual({
      topic: 't',
      group: 'g',
      code: 'c',
      since: '2026-11-21T11:00:00.000Z',
    });
  });

  it('is described without the time of the call', () => {
    expect(filterText({ until: '2026-11-21T12:00:00.000Z' })).toBe('all of them');
    expect(filterText({ topic: 't', code: 'c', until: '2026-11-21T12:00:00.000Z' })).toBe('topic t, code c');
  });
});

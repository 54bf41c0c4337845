import type { Problem } from '@lettermill/problems';
import { pageOf, readPageQuery } from './pages';

describe('a page', () => {
  const page = (found: number[], limit: number) => pageOf(found, limit, (one) => -one, String);

  it('has a cursor to the next one if there is more', () => {
    expect(page([1, 2, 3], 2)).toEqual({ data: [-1, -2], next_cursor: '2' });
  });

  it.each([[[]], [[1]], [[1, 2]]])('with all remaining entries (%j) has no cursor', (found: number[]) => {
    expect(page(found, 2)).toEqual({ data: found.map((one) => -one), next_cursor: null });
  });
});

describe('the part of a list that is requested', () => {
  const read = (query: Record<string, unknown>) =>
    readPageQuery(query, (cursor) => (cursor === 'c1' ? 1 : undefined), { state: ['sent', 'failed'] });
  const faultsOf = (query: Record<string, unknown>) => {
    try {
      return read(query);
    } catch (problem) {
      return (problem as Problem).faults.map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };

  it('is the first 20 if the request says nothing, and can be 1 to 100', () => {
    expect(read({})).toEqual({ limit: 20, after: null, filters: {} });
    expect(read({ limit: '1', cursor: 'c1', state: 'sent' })).toEqual({
      limit: 1,
      after: 1,
      filters: { state: 'sent' },
    });
    expect(read({ limit: '100' }).limit).toBe(100);
    for (const limit of ['0', '101', '', '1e1', '-1', '0x1', ['1', '2']])
      expect(faultsOf({ limit })).toEqual(['/query/limit bad_format']);
  });

  it('is refused with every fault at once', () => {
    expect(faultsOf({ limit: '0', cursor: 'c2', state: 'lost', toString: 'x', sort: 'name' })).toEqual([
      '/query/limit bad_format',
      '/query/cursor bad_format',
      '/query/state not_allowed_value',
      '/query/toString unknown_property',
      '/query/sort unknown_property',
    ]);
  });
});

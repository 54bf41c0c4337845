import { pageOf } from './pages';

describe('a page', () => {
  const page = (found: number[], limit: number) => pageOf(found, limit, (one) => -one, String);

  it('has a cursor to the next one if there is more', () => {
    expect(page([1, 2, 3], 2)).toEqual({ data: [-1, -2], next_cursor: '2' });
  });

  it.each([[[]], [[1]], [[1, 2]]])('with all remaining entries (%j) has no cursor', (found: number[]) => {
    expect(page(found, 2)).toEqual({ data: found.map((one) => -one), next_cursor: null });
  });
});

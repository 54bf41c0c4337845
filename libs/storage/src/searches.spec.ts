import { Searches } from './searches';

/** A search that ends when told. */
function search(): { run: jest.Mock<Promise<string>>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = () => resolve('found')));
  return { run: jest.fn(() => ended), end: () => end() };
}

describe('searches over many rows', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('run as many at a time as allowed, and the others in turn', async () => {
    const searches = new Searches(2);
    const all = [search(), search(), search()];
    const found = all.map(({ run }) => searches.run(run));
    expect(all.map(({ run }) => run.mock.calls.length)).toEqual([1, 1, 0]);
    all[1]!.end();
    await found[1];
    expect(all[2]!.run).toHaveBeenCalledTimes(1);
    all.forEach(({ end }) => end());
    expect(await Promise.all(found)).toEqual(['found', 'found', 'found']);
  });

  it('are dropped when those before them take so long that nobody would wait for the answer', async () => {
    const searches = new Searches(1);
    const [slow, dropped, later] = [search(), search(), search()];
    const found = searches.run(slow.run);
    const refused = expect(searches.run(dropped.run)).rejects.toMatchObject({ code: 'store_unavailable' });
    await jest.advanceTimersByTimeAsync(4_000);
    const next = searches.run(later.run);
    await jest.advanceTimersByTimeAsync(1_000);
    await refused;
    slow.end();
    later.end();
    expect([await found, await next]).toEqual(['found', 'found']);
    expect(dropped.run).not.toHaveBeenCalled();
  });

  it('are not cut off once they have begun', async () => {
    const slow = search();
    const found = new Searches(1).run(slow.run);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(jest.getTimerCount()).toBe(0);
    slow.end();
    expect(await found).toBe('found');
  });
});

import { coalesceCalls } from './coalesce.calls';

describe('coalesceCalls', () => {
  it('asks once for all callers who come meanwhile, and again for those who come during a question', async () => {
    const ends: ((answer: number) => void)[] = [];
    const ask = coalesceCalls(() => new Promise<number>((resolve) => ends.push(resolve)));
    const first = [ask(), ask()];
    await new Promise(setImmediate);
    const later = Array.from({ length: 100 }, ask);
    await new Promise(setImmediate);
    expect(ends).toHaveLength(1);
    ends[0]!(1);
    expect(await Promise.all(first)).toEqual([1, 1]);
    await new Promise(setImmediate);
    ends[1]!(2);
    expect(await Promise.all(later)).toEqual(later.map(() => 2));
    expect(ends).toHaveLength(2);
  });

  it('rejects only the callers of the round that failed', async () => {
    let asked = 0;
    const ask = coalesceCalls(() => ((asked += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve(asked)));
    const first = ask();
    await expect(first).rejects.toThrow('away');
    expect(await ask()).toBe(2);
  });
});

import { Batcher, type BatchLimits } from './batcher';

/** A batcher whose runs the test ends one by one; `runs` has the items of each. */
function newBatcher(limits?: BatchLimits<number>) {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<number, string>(async (items) => {
    runs.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes(-1)) throw new Error('refused');
    return items.map((item) => `did ${item}`);
  }, limits);
  const end = async () => {
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { batcher, runs, end };
}

describe('Batcher', () => {
  it('runs items of the same turn at once, and items that arrive meanwhile together in the next run', async () => {
    const { batcher, runs, end } = newBatcher();
    const first = [batcher.add(1), batcher.add(2)];
    await new Promise(setImmediate);
    const next = [batcher.add(3), batcher.add(4)];
    await new Promise(setImmediate);
    expect(runs).toEqual([[1, 2]]);
    await end();
    expect(await Promise.all(first)).toEqual(['did 1', 'did 2']);
    await end();
    expect(await Promise.all(next)).toEqual(['did 3', 'did 4']);
    expect(runs).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('resolves the callers of a run when it ends, while others still wait', async () => {
    const { batcher, runs, end } = newBatcher({ items: 2 });
    const all = [1, 2, 3].map((item) => batcher.add(item));
    await new Promise(setImmediate);
    await end();
    expect(await Promise.all(all.slice(0, 2))).toEqual(['did 1', 'did 2']);
    expect(runs).toEqual([[1, 2], [3]]);
    await end();
    await batcher.settled();
  });

  it('resolves a caller that its run answers, before the run ends', async () => {
    const end: ((results: string[]) => void)[] = [];
    const batcher = new Batcher<number, string>((_items, answer) => {
      answer(0, 'early');
      return new Promise((resolve) => end.push(resolve));
    });
    const [first, second] = [batcher.add(1), batcher.add(2)];
    expect(await first).toBe('early');
    end[0]!(['late', 'late']);
    expect(await second).toBe('late');
  });

  it('keeps runs within the size limit, but does not split a larger item', async () => {
    const { batcher, runs, end } = newBatcher({ size: { most: 10, of: (item) => item } });
    const all = [4, 5, 4, 50, 0, 10, 1].map((item) => batcher.add(item));
    await new Promise(setImmediate);
    for (let i = 0; i < 5; i += 1) await end();
    await Promise.all(all);
    expect(runs).toEqual([[4, 5], [4], [50], [0, 10], [1]]);
  });

  it('rejects the callers of a run that failed, and no others', async () => {
    const { batcher, end } = newBatcher({ items: 1 });
    const refused = expect(batcher.add(-1)).rejects.toThrow('refused');
    const fine = batcher.add(1);
    await new Promise(setImmediate);
    await end();
    await end();
    await refused;
    expect(await fine).toBe('did 1');
  });

  it('is settled when nothing waits and nothing runs', async () => {
    const { batcher, end } = newBatcher();
    await batcher.settled();
    void batcher.add(1);
    let settled = false;
    const waiting = batcher.settled().then(() => (settled = true));
    await new Promise(setImmediate);
    expect(settled).toBe(false);
    await end();
    await waiting;
  });
});

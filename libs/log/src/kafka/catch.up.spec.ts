import { caughtUp } from './catch.up';
import { Progress } from './progress';

const LONG_MS = 20_000;
const extent = (partition: number, low: number, end: number) => ({ partition, low, end });

describe('caughtUp', () => {
  it('is true at once for an empty topic and for one whose records are all removed', async () => {
    const extents = () => Promise.resolve([extent(0, 0, 0), extent(1, 7, 7)]);
    expect(await caughtUp({ progress: new Progress(), extents }, LONG_MS)).toBe(true);
  });

  it('waits for the records that existed when it was called, not for later ones', async () => {
    const progress = new Progress();
    let end = 3;
    const extents = () => Promise.resolve([extent(0, 0, end)]);
    const waiting = caughtUp({ progress, extents }, LONG_MS);
    // By then it waits, and looks again for each step of the reader.
    await new Promise(setImmediate);
    end = 10;
    progress.reached(0, 2);
    progress.notify();
    progress.reached(0, 3);
    progress.notify();
    expect(await waiting).toBe(true);
  });

  it('counts what other members have committed', async () => {
    const progress = new Progress();
    progress.reached(0, 5);
    let other = 0;
    const pursuit = {
      progress,
      extents: () => Promise.resolve([extent(0, 0, 5), extent(1, 0, 3)]),
      committed: () => Promise.resolve(new Map([[1, (other += 1)]])),
    };
    expect(await caughtUp(pursuit, LONG_MS)).toBe(true);
    expect(other).toBe(3);
  });

  it('does not take for read what nobody is known to have committed', async () => {
    const away = () => Promise.reject(new Error('away'));
    const [extents, committed] = [jest.fn(away), jest.fn(away)] as [jest.Mock, jest.Mock];
    extents.mockImplementationOnce(away).mockResolvedValue([extent(0, 0, 1)]);
    committed.mockImplementationOnce(away).mockResolvedValueOnce(new Map());
    committed.mockResolvedValue(new Map([[0, 1]]));
    expect(await caughtUp({ progress: new Progress(), extents, committed }, LONG_MS)).toBe(true);
    expect(committed).toHaveBeenCalledTimes(3);
  });

  it('trusts a committed position past the end: the topic may have been created again', async () => {
    const progress = new Progress();
    progress.reached(0, 5);
    const pursuit = (committed: number) => ({
      progress,
      extents: () => Promise.resolve([extent(0, 0, 1)]),
      committed: () => Promise.resolve(new Map([[0, committed]])),
    });
    expect(await caughtUp(pursuit(5), LONG_MS)).toBe(true);
    expect(await caughtUp(pursuit(0), 20)).toBe(false);
    progress.reached(0, 1);
    expect(await caughtUp(pursuit(0), LONG_MS)).toBe(true);
  });

  it('asks again while the brokers are unavailable, until its time is over', async () => {
    const progress = new Progress();
    let asked = 0;
    const extents = () => ((asked += 1) < 3 ? Promise.reject(new Error('away')) : Promise.resolve([extent(0, 0, 0)]));
    expect(await caughtUp({ progress, extents }, LONG_MS)).toBe(true);
    expect(asked).toBe(3);
    const never = () => new Promise<never>(() => {});
    expect(await caughtUp({ progress, extents: never }, 20)).toBe(false);
  });

  it('is false when the reader ends', async () => {
    const progress = new Progress();
    const waiting = caughtUp({ progress, extents: () => Promise.resolve([extent(0, 0, 1)]) }, LONG_MS);
    progress.end();
    expect(await waiting).toBe(false);
  });

  it('ends in time even if the clock is set back', async () => {
    const clock = jest.spyOn(Date, 'now');
    const waiting = caughtUp({ progress: new Progress(), extents: () => Promise.resolve([extent(0, 0, 1)]) }, 50);
    clock.mockReturnValue(0);
    expect(await waiting).toBe(false);
    clock.mockRestore();
  });
});

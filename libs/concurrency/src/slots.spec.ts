import { Slots } from './slots';

describe('slots', () => {
  it('run a limited number of tasks at a time, in order, even if some fail', async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number) =>
      slots.run(async () => {
        begun.push(n);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (n === 0) throw new Error('failed');
        return n;
      });
    const all = [0, 1, 2, 3].map(work);
    const settled = Promise.allSettled(all);
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1]);
    ends[0]!();
    await expect(all[0]).rejects.toThrow('failed');
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);
    ends[1]!();
    await new Promise(setImmediate);
    ends.slice(2).forEach((end) => end());
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('are not waited for any longer once the signal of a task aborts; those behind it keep their turns', async () => {
    const slots = new Slots(1);
    let end: () => void = () => {};
    const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)));
    const leaving = new AbortController();
    const work = jest.fn(() => Promise.resolve());
    const left = slots.run(work, leaving.signal);
    const behind = slots.run(() => Promise.resolve('behind'));
    leaving.abort(new Error('out of time'));
    await expect(left).rejects.toThrow('out of time');
    await expect(slots.run(work, leaving.signal)).rejects.toThrow('out of time');
    end();
    await first;
    expect(await behind).toBe('behind');
    expect(work).not.toHaveBeenCalled();
  });

  it('are free again once nobody waits, and not more than there were', async () => {
    const slots = new Slots(2);
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
    };
    for (const tasks of [5, 5]) {
      await Promise.all(Array.from({ length: tasks }, () => slots.run(work)));
      expect(most).toBe(2);
      most = 0;
    }
  });

  it('take the turn of nobody else when the signal of a task aborts that has begun', async () => {
    const slots = new Slots(1);
    const ends: (() => void)[] = [];
    const leaving = new AbortController();
    const [first, second] = [undefined, leaving.signal].map((signal) =>
      slots.run(() => new Promise<void>((resolve) => ends.push(resolve)), signal),
    );
    const behind = slots.run(() => Promise.resolve('behind'));
    ends[0]!();
    await first;
    leaving.abort();
    ends[1]!();
    await second;
    expect(await behind).toBe('behind');
  });
});

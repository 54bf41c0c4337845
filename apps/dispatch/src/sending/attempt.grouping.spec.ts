import { AttemptGrouping } from './attempt.grouping';

describe('AttemptGrouping', () => {
  let now = 0;
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  /** Starts work that lasts until the returned function is called. */
  const setOut = (grouping: AttemptGrouping) => {
    let back!: () => void;
    const away = grouping.track(() => new Promise<void>((resolve) => (back = resolve)));
    return () => {
      back();
      return away;
    };
  };
  /** Whether it is over after a few microtasks, without time passing. */
  const isOver = async (going: Promise<unknown>) => {
    let over = false;
    void going.then(() => (over = true));
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return over;
  };

  it('do not wait if nobody else is under way', async () => {
    const grouping = new AttemptGrouping(() => now);
    await grouping.waitForOthers();
    expect(await grouping.track(() => Promise.resolve(1))).toBe(1);
    await grouping.waitForOthers();
  });

  it('go on together when the last one is back', async () => {
    const grouping = new AttemptGrouping(() => now);
    const order: string[] = [];
    const attempt = async (name: string, work: Promise<unknown>) => {
      await grouping.track(() => work).catch(() => order.push(`${name} failed`));
      await grouping.waitForOthers();
      order.push(name);
    };
    let back!: () => void;
    let fail!: (error: Error) => void;
    const all = [
      attempt('one', Promise.resolve()),
      attempt('two', new Promise<void>((resolve) => (back = resolve))),
      attempt('three', new Promise((_, reject) => (fail = reject))),
    ];
    await Promise.resolve();
    back();
    fail(new Error('no'));
    await Promise.all(all);
    expect(order).toEqual(['three failed', 'one', 'two', 'three']);
  });

  it('wait for those under way, and go on at once when all are back', async () => {
    const grouping = new AttemptGrouping(() => now);
    const [first, second] = [setOut(grouping), setOut(grouping)];
    const going = grouping.waitForOthers();
    expect(await isOver(going)).toBe(false);
    await first();
    expect(await isOver(going)).toBe(false);
    await second();
    expect([await isOver(going), jest.getTimerCount()]).toEqual([true, 0]);
  });

  it('wait for up to 3 ms if one stays away, each from its own start', async () => {
    const grouping = new AttemptGrouping(() => now);
    const back = setOut(grouping);
    for (let round = 0; round < 2; round += 1) {
      const going = grouping.waitForOthers();
      jest.advanceTimersByTime(2);
      expect(await isOver(going)).toBe(false);
      jest.advanceTimersByTime(1);
      expect(await isOver(going)).toBe(true);
    }
    await back();
  });

  it('do not wait for one that has been away for a second', async () => {
    const grouping = new AttemptGrouping(() => now);
    const back = setOut(grouping);
    now += 999;
    const waiting = grouping.waitForOthers();
    expect(await isOver(waiting)).toBe(false);
    now += 1;
    expect(await isOver(grouping.waitForOthers())).toBe(true);
    await Promise.all([back(), waiting]);
  });
});

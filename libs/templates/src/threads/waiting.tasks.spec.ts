import { WaitingTasks, type WaitingTask } from './waiting.tasks';

describe('tasks that wait for a thread', () => {
  const givenUp: string[] = [];
  beforeEach(() => givenUp.splice(0));

  const task = (account: string, weight: number, since = 0): WaitingTask => {
    const giveUp = () => void givenUp.push(`${account} ${weight}`);
    return { account, weight, since, perform: () => Promise.resolve(), giveUp };
  };
  const waitingOf = (tasks: WaitingTask[], limits = {}) => {
    const waiting = new WaitingTasks({ maxWaitMs: 10_000, maxAccountWeight: 100, ...limits });
    return { waiting, added: tasks.map((one) => waiting.add(one)) };
  };
  const takeAll = (waiting: WaitingTasks, now = 0) => {
    const taken: string[] = [];
    for (let one = waiting.take(now); one; one = waiting.take(now)) taken.push(`${one.account} ${one.weight}`);
    return taken;
  };

  it('let accounts take turns, however many or light those of one are', () => {
    const many = Array.from({ length: 4 }, (_, at) => task('many', at + 1));
    const { waiting } = waitingOf([...many, task('one', 90), task('two', 50), task('two', 40)]);
    expect(waiting.size).toBe(7);
    expect(takeAll(waiting)).toEqual(['many 1', 'one 90', 'two 40', 'many 2', 'two 50', 'many 3', 'many 4']);
    expect(waiting.size).toBe(0);
  });

  it('come after those of others if their account had the last turn', () => {
    const { waiting } = waitingOf([task('many', 1)]);
    expect(waiting.take(0)).toMatchObject({ account: 'many' });
    for (const one of [task('many', 2), task('many', 3), task('one', 90)]) waiting.add(one);
    expect(takeAll(waiting)).toEqual(['one 90', 'many 2', 'many 3']);
  });

  it('are given up once nobody waits for them any more', () => {
    const { waiting } = waitingOf([task('a', 1), task('a', 2, 1), task('b', 3), task('c', 4, 500)]);
    expect(takeAll(waiting, 10_001)).toEqual(['a 2', 'c 4']);
    expect(givenUp).toEqual(['a 1', 'b 3']);
    expect(waiting.size).toBe(0);
  });

  it('have a limit of their weight for each account; one alone has room', () => {
    const tasks = [task('a', 60), task('a', 40), task('a', 1), task('b', 500), task('b', 1)];
    const { waiting, added } = waitingOf(tasks);
    expect(added).toEqual([true, true, false, true, false]);
    expect(takeAll(waiting)).toEqual(['a 40', 'b 500', 'a 60']);
    expect(waiting.add(task('a', 100))).toBe(true);
  });
});

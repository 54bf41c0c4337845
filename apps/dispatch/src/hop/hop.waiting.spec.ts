import { Withdrawal } from '../smtp/smtp.withdrawal';
import { content } from '../testing/pooled';
import { WaitingJobs, type PoolJob } from './hop.waiting';

const jobOf = (urgent = false): PoolJob => ({
  envelope: { from: 'shop@example.com', to: [], main: null, needsUtf8: false },
  content: content(),
  withdrawal: new Withdrawal(),
  urgent,
});

describe('mails that wait for a connection', () => {
  let waiting: WaitingJobs;
  let called: string[];
  beforeEach(() => {
    waiting = new WaitingJobs();
    called = [];
  });
  const wait = (name: string, urgent = false, isOpening = false): PoolJob => {
    const job = jobOf(urgent);
    void waiting.wait(job, isOpening).then((ride) => called.push(ride ? `${name} rides` : name));
    return job;
  };
  const settled = () => new Promise(setImmediate);

  it('are called in order of arrival, urgent ones first', async () => {
    for (const name of ['a', 'b']) wait(name);
    for (const name of ['u', 'v']) wait(name, true);
    waiting.wake(3);
    await settled();
    expect(called).toEqual(['u', 'v', 'a']);
    waiting.wake();
    await settled();
    expect(called).toEqual(['u', 'v', 'a', 'b']);
  });

  it('are called at once when they are withdrawn, and take nothing from those behind them', async () => {
    const a = wait('a');
    for (const name of ['b', 'c']) wait(name);
    a.withdrawal.withdraw();
    await settled();
    expect(called).toEqual(['a']);
    waiting.wake(1);
    await settled();
    expect(called).toEqual(['a', 'b']);
  });

  it('are not called for a place in which to open one if one is being opened for them, but for one that is free', async () => {
    const opening = wait('opening', false, true);
    wait('other', true, true);
    wait('a');
    waiting.wake(1, 0);
    await settled();
    expect(called).toEqual(['a']);
    wait('b');
    waiting.wake(1, 1);
    await settled();
    expect(called).toEqual(['a', 'other', 'b']);
    waiting.leave(opening);
    waiting.leave(opening);
    await settled();
    expect(called).toEqual(['a', 'other', 'b', 'opening']);
  });

  it('may be withdrawn after they were called', async () => {
    const a = wait('a');
    wait('b');
    waiting.wake(1);
    a.withdrawal.withdraw();
    waiting.wake(1);
    await settled();
    expect(called).toEqual(['a', 'b']);
  });

  it('ride if the first may', async () => {
    const a = wait('a');
    wait('b');
    expect(waiting.takeRider((job) => job !== a)).toBeUndefined();
    const rider = waiting.takeRider((job) => job === a)!;
    rider.taken({ connection: {} as never, transaction: Promise.resolve(undefined) });
    waiting.wake(1);
    await settled();
    expect([called, waiting.takeRider(() => true)]).toEqual([['a rides', 'b'], undefined]);
  });
});

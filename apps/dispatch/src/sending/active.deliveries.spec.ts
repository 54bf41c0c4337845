import { Logger } from '@nestjs/common';
import type { ClaimedDelivery, DeliveryStore } from '../deliveries/deliveries.store';
import type { Admitted, DueQueue } from '../due/due.queue';
import type { SmtpPool } from '../hop/hop.pool';
import { ActiveDeliveries } from './active.deliveries';
import type { Attempts } from './attempts';
import { Leases } from './leases';

const CAPACITY = 3;

const admittedOf = (n: number): Admitted => ({
  accountId: 'default',
  messageId: `m${n}`,
  priority: 1,
  domain: 'example.com',
  dueAt: 0,
  enteredAt: 0,
  aside: false,
});
const claimedOf = ({ accountId, messageId }: Admitted): ClaimedDelivery => ({
  accountId,
  messageId,
  attempts: 0,
  claimedAt: 0,
  content: '{}',
});

function activeWith(run: Attempts['run'], rate?: number) {
  const pool = {
    capacity: () => CAPACITY,
    mostConnections: () => 2 * CAPACITY,
    isConnected: true,
    allowExtraConnections: jest.fn(),
    onRoom: jest.fn<void, [() => void]>(),
    close: jest.fn(),
  };
  const queue = {
    shareConnections: jest.fn(),
    stuckCount: () => 0,
    learnedRate: () => rate,
    leave: jest.fn(),
    putOff: jest.fn(),
  };
  const giveBack: Attempts['giveBack'] = (_claimed, dueAt, progress) => Promise.resolve(progress.submitted(dueAt));
  const active = new ActiveDeliveries(
    new Leases({} as DeliveryStore, 'one', Date.now),
    { run, giveBack } as Attempts,
    pool as unknown as SmtpPool,
    queue as unknown as DueQueue,
    Date.now,
  );
  const begin = (...admitted: Admitted[]) => active.begin(admitted, () => Promise.resolve(admitted.map(claimedOf)));
  return { active, pool, queue, begin };
}

describe('active deliveries', () => {
  const admitted = [admittedOf(1), admittedOf(2)];
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('take no place if they could not be claimed', async () => {
    const { active, queue } = activeWith(() => new Promise(() => undefined));
    const free = active.room();
    await expect(active.begin(admitted, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(active.room()).toEqual(free);
    expect(await active.begin(admitted, () => Promise.resolve([claimedOf(admitted[0]!)]))).toEqual([admitted[1]]);
    expect(active.room().forAny).toBe(free.forAny - 1);
    expect(queue.leave.mock.calls.map(([{ messageId }]: [Admitted]) => messageId)).toEqual(['m1', 'm2', 'm2']);
  });

  it('end with a defect alone: it is logged, and others go on in their place', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const defect = new Error('a defect');
    const { active, queue, begin } = activeWith(() => Promise.reject(defect));
    const { forAny } = active.room();
    await begin(...admitted, admittedOf(3), admittedOf(4));
    while (active.size > 0) await new Promise(setImmediate);
    expect(active.room().forAny).toBeGreaterThanOrEqual(forAny);
    expect(logged.mock.calls).toEqual(Array(4).fill([defect]));
    expect(queue.putOff.mock.calls[0]).toEqual([admitted[0], 0]);
  });

  it('tell the queue what the hop throttles, and the operator once, when a rate was learned', async () => {
    const logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const throttle: Attempts['run'] = (_claimed, _dueAt, _withdrawal, progress) => {
      progress.turnEnded('throttling');
      return Promise.resolve(progress.submitted(5));
    };
    for (const rate of [undefined, 12.345]) {
      const { active, queue, begin } = activeWith(throttle, rate);
      await begin(...admitted);
      while (active.size > 0) await new Promise(setImmediate);
      expect(queue.leave.mock.calls).toEqual(admitted.map((one) => [one, 'throttling']));
    }
    expect(logged.mock.calls).toEqual([[expect.stringContaining('it gets 12 attempts a second')]]);
  });

  it('tell when more may begin: the hop has room, an outcome is on its way to the store, or an attempt has ended', async () => {
    const ran: string[] = [];
    const steps: (() => void)[] = [];
    const step = () => new Promise<void>((resolve) => steps.push(resolve));
    const { active, pool, queue, begin } = activeWith(async ({ messageId }, _dueAt, _withdrawal, progress) => {
      ran.push(messageId);
      await step();
      progress.submitted(5);
      await step();
    });
    const freed = jest.fn();
    active.listen(freed);
    pool.capacity = () => 1;
    await begin(...admitted);
    await new Promise(setImmediate);
    expect(ran).toEqual(['m1']);
    pool.capacity = () => 2;
    pool.onRoom.mock.calls[0]![0]();
    await new Promise(setImmediate);
    expect([ran, freed.mock.calls.length]).toEqual([['m1', 'm2'], 1]);
    steps[0]!();
    await new Promise(setImmediate);
    expect([active.size, freed.mock.calls.length]).toEqual([2, 2]);
    steps[2]!();
    await new Promise(setImmediate);
    expect([active.size, freed.mock.calls.length]).toEqual([1, 3]);
    expect(queue.putOff.mock.calls).toEqual([[admitted[0], 5]]);
  });

  it('are waited for at shutdown; a hop that does not reply is left after a while, and the outcome recorded', async () => {
    jest.useFakeTimers();
    let closed!: () => void;
    let recorded = false;
    const { active, pool, begin } = activeWith(async (_claimed, _dueAt, _withdrawal, progress) => {
      await new Promise<void>((resolve) => (closed = resolve));
      await new Promise(setImmediate);
      progress.submitted(null);
      recorded = true;
    });
    pool.close.mockImplementation(() => closed());
    await begin(admitted[0]!);
    await jest.advanceTimersByTimeAsync(0);
    const left = active.close().then(() => recorded);
    await jest.advanceTimersByTimeAsync(1_000);
    expect([pool.close.mock.calls.length, recorded]).toEqual([0, false]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await left).toBe(true);
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../testing/inbox';
import { fault, openHand, Payload } from '../testing/kafkajs.payload';
import type { Progress } from './progress';

describe('a group member that handles records', () => {
  let progress: Progress;
  const handOf = (...asked: Parameters<typeof openHand>) => {
    const opened = openHand(...asked);
    ({ progress } = opened);
    return opened.hand;
  };

  it('drops what it holds of a partition that went to another member, and goes on with the others', async () => {
    const seen: string[] = [];
    const hand = handOf(({ records }) => {
      seen.push(...records.map(({ value }) => value.toString()));
      if (seen.length === 1) hand.joined([1]);
      return Promise.resolve();
    }, 1);
    const [lost, kept] = [new Payload(0, 2), new Payload(1, 2)];
    await Promise.all([hand.take(lost.kafkajs), hand.take(kept.kafkajs)]);
    expect(seen).toEqual(['0/0', '1/0', '1/1']);
    expect([...lost.committed, ...kept.committed]).toEqual(['p-t/1@2']);
    expect([lost.resolved, kept.resolved, progress.of(0), progress.of(1)]).toEqual([[], ['1'], 0, 2]);
  });

  it('makes one batch of the partitions of a fetch, and commits it once', async () => {
    const batches: string[][] = [];
    const hand = handOf(({ records }) => {
      batches.push(records.map(({ value }) => value.toString()));
      return Promise.resolve();
    });
    const [one, two] = [new Payload(0, 2), new Payload(1, 1)];
    await Promise.all([hand.take(one.kafkajs), hand.take(two.kafkajs)]);
    expect(batches).toEqual([['0/0', '0/1', '1/0']]);
    expect([...one.committed, ...two.committed]).toEqual(['p-t/0@2', 'p-t/1@1']);
    expect([one.resolved, two.resolved]).toEqual([['1'], ['0']]);
    expect([progress.of(0), progress.of(1), hand.busy]).toEqual([2, 1, false]);
  });

  it.each([
    ['batches that end at once', 0, ['p-t/0@6']],
    ['batches that take 100 ms', 100, ['p-t/0@2', 'p-t/0@4', 'p-t/0@6']],
  ])('commits quick batches together and slow ones singly: %s', async (_what, ms, committed) => {
    let now = 1_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    const payload = new Payload(0, 6);
    const hand = handOf(() => Promise.resolve(void (now += ms)), 2);
    await hand.take(payload.kafkajs);
    clock.mockRestore();
    expect(payload.committed).toEqual(committed);
    expect([payload.resolved.at(-1), progress.of(0)]).toEqual(['5', 6]);
  });

  it('commits what was handled before it gives up the rest', async () => {
    const payload = new Payload(0, 4);
    let handled = 0;
    const hand = handOf(async (batch) => {
      if ((handled += 1) === 1) return;
      payload.onHeartbeat = () => Promise.reject(fault('REBALANCE_IN_PROGRESS'));
      await batch.heartbeat();
      throw new Error('not now');
    }, 2);
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
    expect([handled, payload.committed, payload.resolved]).toEqual([2, ['p-t/0@2'], ['1']]);
  });

  it.each(['REBALANCE_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP'])('gives up what follows at %s', async (type) => {
    const payload = new Payload(0, 4);
    const seen: boolean[] = [];
    const hand = handOf(async (batch) => {
      payload.onHeartbeat = () => Promise.reject(fault(type));
      await batch.heartbeat();
      seen.push(batch.stopping);
    }, 2);
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type });
    expect(seen).toEqual([true]);
    expect(payload.committed).toEqual(['p-t/0@2']);
    expect(payload.resolved).toEqual(['1']);
  });

  it('stops retrying when the group rebalances while the handler rejects', async () => {
    const payload = new Payload(0, 1);
    let tries = 0;
    const hand = handOf(async (batch) => {
      tries += 1;
      payload.onHeartbeat = () => Promise.reject(fault('REBALANCE_IN_PROGRESS'));
      await batch.heartbeat();
      throw new Error('not now');
    });
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
    expect([tries, payload.committed, payload.resolved]).toEqual([1, [], []]);
  });

  it("rejects the handler's heartbeat when its partitions went to another member", async () => {
    const payload = new Payload(0, 1);
    payload.onHeartbeat = () => Promise.reject(fault('UNKNOWN_MEMBER_ID'));
    const codes: unknown[] = [];
    const hand = handOf((batch) =>
      batch.heartbeat().catch((error: unknown) => {
        codes.push((error as { code: string }).code);
        throw error;
      }),
    );
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
    expect([codes, payload.committed]).toEqual([['log_unavailable'], []]);
  });

  it('does not later commit what it had handled of partitions that went to another member', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000);
    const [lost, next] = [new Payload(0, 4), new Payload(1, 1)];
    let handled = 0;
    const hand = handOf(async (batch) => {
      if ((handled += 1) !== 2) return;
      lost.onHeartbeat = () => Promise.reject(fault('UNKNOWN_MEMBER_ID'));
      await batch.heartbeat();
    }, 2);
    await expect(hand.take(lost.kafkajs)).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
    await hand.take(next.kafkajs);
    clock.mockRestore();
    expect([...lost.committed, ...next.committed]).toEqual(['p-t/1@1']);
  });

  it('keeps nothing of a lost partition when it gets that partition again', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000);
    const [lost, again, last] = [new Payload(0, 4), new Payload(0, 1, 7), new Payload(0, 1, 7)];
    let handled = 0;
    const hand = handOf(async (batch) => {
      handled += 1;
      if (handled === 2) lost.onHeartbeat = () => Promise.reject(fault('UNKNOWN_MEMBER_ID'));
      if (handled === 3) again.onHeartbeat = () => Promise.reject(fault('REBALANCE_IN_PROGRESS'));
      if (handled > 1) await batch.heartbeat();
      if (handled === 3) throw new Error('not now');
    }, 2);
    await expect(hand.take(lost.kafkajs)).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
    await expect(hand.take(again.kafkajs)).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
    await hand.take(last.kafkajs);
    clock.mockRestore();
    expect([lost, again, last].map(({ committed }) => committed)).toEqual([[], [], ['p-t/0@8']]);
    expect(handled).toBe(4);
  });

  it.each([
    ['accepts', [[], ['p-t/0@8'], ['0/0', '0/1', '0/7'], 8]],
    ['does not accept', [[], [], ['0/0', '0/1', '0/7'], 0]],
  ])(
    'continues after another member when it regains a partition during a batch, which the handler %s',
    async (how, expected) => {
      const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000);
      const [before, after] = [new Payload(0, 4), new Payload(0, 1, 7)];
      let taken: Promise<void> | undefined;
      const seen: string[] = [];
      const hand = handOf(async (batch) => {
        seen.push(...batch.records.map(({ value }) => value.toString()));
        if (seen.length === 2) {
          hand.joined([]);
          hand.joined([0]);
          taken = hand.take(after.kafkajs).catch(() => {});
        }
        if (seen.length < 3 || how === 'accepts') return;
        after.onHeartbeat = () => Promise.reject(fault('REBALANCE_IN_PROGRESS'));
        await batch.heartbeat();
        throw new Error('not now');
      }, 1);
      await hand.take(before.kafkajs);
      await taken;
      clock.mockRestore();
      expect([before.committed, after.committed, seen, progress.of(0)]).toEqual(expected);
    },
  );

  it('ignores a heartbeat that gets no answer', async () => {
    const payload = new Payload(0, 1);
    payload.onHeartbeat = () => Promise.reject(new Error('connection closed'));
    const hand = handOf((batch) => batch.heartbeat());
    await hand.take(payload.kafkajs);
    expect(payload.committed).toEqual(['p-t/0@1']);
  });

  it('retries a commit that fails for a while, without handling the batch again', async () => {
    const payload = new Payload(0, 1);
    let handled = 0;
    let tries = 0;
    payload.onCommit = () => ((tries += 1) < 3 ? Promise.reject(new Error('away')) : Promise.resolve());
    const hand = handOf(() => Promise.resolve(void (handled += 1)));
    await hand.take(payload.kafkajs);
    expect([handled, tries, payload.committed]).toEqual([1, 3, ['p-t/0@1']]);
  });

  it('does not commit what it handled of a partition that is lost before the commit is retried', async () => {
    const hand = handOf(() => Promise.resolve());
    const [lost, kept] = [new Payload(0, 1), new Payload(1, 1)];
    lost.onCommit = () => {
      hand.joined([1]);
      return Promise.reject(new Error('away'));
    };
    await Promise.all([hand.take(lost.kafkajs), hand.take(kept.kafkajs)]);
    expect([lost.committed, kept.committed, progress.of(0)]).toEqual([[], ['p-t/1@1'], 0]);
  });

  it('asks for another look-up of the coordinator when that does not answer', async () => {
    const payload = new Payload(0, 1);
    payload.onCommit = () => Promise.reject(new Error('connection refused'));
    const hand = handOf(() => Promise.resolve());
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'NOT_COORDINATOR_FOR_GROUP' });
    expect(payload.resolved).toEqual([]);
  });

  it('gives up a batch that could not be committed, and handles it again', async () => {
    const payload = new Payload(0, 1);
    payload.onCommit = () => Promise.reject(fault('ILLEGAL_GENERATION'));
    let handled = 0;
    const hand = handOf(() => Promise.resolve(void (handled += 1)));
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'ILLEGAL_GENERATION' });
    expect([payload.resolved, progress.of(0)]).toEqual([[], 0]);
    payload.onCommit = () => Promise.resolve();
    await hand.take(payload.kafkajs);
    expect([handled, payload.resolved]).toEqual([2, ['0']]);
  });

  it('sends heartbeats while the handler works', async () => {
    const payload = new Payload(0, 1);
    await handOf(() => until(() => payload.heartbeats >= 2)).take(payload.kafkajs);
  });

  it('ends the pause before another try when the group rebalances, and its heartbeats', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const payload = new Payload(0, 1);
    const onBatch = jest.fn(() => Promise.reject(new Error('not now')));
    const hand = handOf(onBatch);
    const ended = expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
    payload.onHeartbeat = () => Promise.reject(fault('REBALANCE_IN_PROGRESS'));
    while (onBatch.mock.calls.length === 0) await turn();
    await turn();
    await Promise.all([hand.heartbeat(), ended]);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('hands out nothing once it is stopped, and ends an abandoned consumer that goes on', async () => {
    const hand = handOf(() => Promise.reject(new Error('not to be called')));
    hand.stop();
    const payload = new Payload(0, 1);
    await hand.take(payload.kafkajs);
    expect(payload.resolved).toEqual([]);
    hand.abandon();
    await expect(hand.take(payload.kafkajs)).rejects.toMatchObject({ retriable: false });
  });
});

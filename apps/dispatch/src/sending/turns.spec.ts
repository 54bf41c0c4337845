import fc from 'fast-check';
import type { PriorityRank } from '../deliveries/deliveries.store';
import { Withdrawal } from '../smtp/smtp.withdrawal';
import { Turns, type Turn } from './turns';

const never = () => new Withdrawal();

describe('Turns', () => {
  let most = 2;
  let turns: Turns;
  let called: [string, Turn][];
  beforeEach(() => {
    most = 2;
    called = [];
    turns = new Turns((rank) => (most === 0 ? 0 : most + (rank === 0 ? 1 : 0)));
  });
  const take = (name: string, rank: PriorityRank = 1, withdrawal = never()) =>
    void turns.take(rank, withdrawal).then((turn) => called.push([name, turn]));
  const went = async () => {
    await new Promise(setImmediate);
    return called.splice(0);
  };

  it('admits as many as there is room for; high priority goes first and has extra room', async () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    expect(await went()).toEqual([
      ['a', 'go'],
      ['b', 'go'],
    ]);
    take('high', 0);
    expect(await went()).toEqual([['high', 'go']]);
    take('high 2', 0);
    turns.end();
    expect(await went()).toEqual([['high 2', 'go']]);
    turns.end();
    expect(await went()).toEqual([]);
    turns.end();
    expect(await went()).toEqual([['c', 'go']]);
  });

  it('returns all waiting claims when there is no room for a while, without counting them', async () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    await went();
    most = 0;
    turns.end();
    expect(await went()).toEqual([
      ['c', 'back'],
      ['d', 'back'],
    ]);
    most = 2;
    take('e');
    expect(await went()).toEqual([['e', 'go']]);
  });

  it('returns a claim that is withdrawn while it waits or before it comes', async () => {
    take('a');
    take('b');
    const lost = new Withdrawal();
    take('lost', 1, lost);
    await went();
    lost.withdraw();
    take('late', 1, lost);
    expect(await went()).toEqual([
      ['lost', 'back'],
      ['late', 'back'],
    ]);
    turns.end();
    take('c');
    expect(await went()).toEqual([['c', 'go']]);
  });

  it('returns no claim but the withdrawn one, and none that has begun', async () => {
    const withdrawals = ['a', 'b', 'c', 'd', 'e'].map((name) => {
      const withdrawal = new Withdrawal();
      take(name, 1, withdrawal);
      return withdrawal;
    });
    await went();
    withdrawals[0]!.withdraw();
    withdrawals[3]!.withdraw();
    expect(await went()).toEqual([['d', 'back']]);
    turns.end();
    turns.end();
    expect(await went()).toEqual([
      ['c', 'go'],
      ['e', 'go'],
    ]);
  });

  it('never admits more than there is room for, and forgets nobody', async () => {
    const step = fc.oneof(
      fc.constantFrom<PriorityRank>(0, 1, 2),
      fc.constant('end' as const),
      fc.record({ most: fc.integer({ min: 1, max: 4 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let room = 2;
        let asked = 0;
        let speaking = 0;
        let through = 0;
        const some = new Turns(() => room);
        for (const one of steps) {
          if (typeof one === 'number') {
            asked += 1;
            void some.take(one, never()).then(() => (speaking += 1));
          } else if (one === 'end') {
            if (speaking === 0) continue;
            speaking -= 1;
            through += 1;
            some.end();
          } else {
            room = one.most;
            some.proceed();
          }
          const before = speaking;
          await new Promise(setImmediate);
          if (speaking > before) expect(speaking).toBeLessThanOrEqual(room);
        }
        for (; speaking > 0; await new Promise(setImmediate)) {
          speaking -= 1;
          through += 1;
          some.end();
        }
        expect(through).toBe(asked);
      }),
    );
  });
});

import fc from 'fast-check';
import type { PriorityRank } from '../deliveries/deliveries.store';
import { Withdrawal } from '../smtp/smtp.withdrawal';
import { Turns, type Turn } from './turns';

const notWithdrawn = () => new Withdrawal();

describe('Turns', () => {
  let maxTurns = 2;
  let turns: Turns;
  let grantedTurns: [string, Turn][];
  beforeEach(() => {
    maxTurns = 2;
    grantedTurns = [];
    turns = new Turns((rank) => (maxTurns === 0 ? 0 : maxTurns + (rank === 0 ? 1 : 0)));
  });
  const takeTurn = (name: string, rank: PriorityRank = 1, withdrawal = notWithdrawn()) =>
    void turns.take(rank, withdrawal).then((turn) => grantedTurns.push([name, turn]));
  const takeGranted = async () => {
    await new Promise(setImmediate);
    return grantedTurns.splice(0);
  };

  it('admits as many as there is room for; high priority goes first and has extra room', async () => {
    for (const name of ['a', 'b', 'c', 'd']) takeTurn(name);
    expect(await takeGranted()).toEqual([
      ['a', 'go'],
      ['b', 'go'],
    ]);
    takeTurn('high', 0);
    expect(await takeGranted()).toEqual([['high', 'go']]);
    takeTurn('high 2', 0);
    turns.end();
    expect(await takeGranted()).toEqual([['high 2', 'go']]);
    turns.end();
    expect(await takeGranted()).toEqual([]);
    turns.end();
    expect(await takeGranted()).toEqual([['c', 'go']]);
  });

  it('returns all waiting claims when there is no room for a while, without counting them', async () => {
    for (const name of ['a', 'b', 'c', 'd']) takeTurn(name);
    await takeGranted();
    maxTurns = 0;
    turns.end();
    expect(await takeGranted()).toEqual([
      ['c', 'back'],
      ['d', 'back'],
    ]);
    maxTurns = 2;
    takeTurn('e');
    expect(await takeGranted()).toEqual([['e', 'go']]);
  });

  it('returns a claim that is withdrawn while it waits or before it comes', async () => {
    takeTurn('a');
    takeTurn('b');
    const lost = new Withdrawal();
    takeTurn('lost', 1, lost);
    await takeGranted();
    lost.withdraw();
    takeTurn('late', 1, lost);
    expect(await takeGranted()).toEqual([
      ['lost', 'back'],
      ['late', 'back'],
    ]);
    turns.end();
    takeTurn('c');
    expect(await takeGranted()).toEqual([['c', 'go']]);
  });

  it('returns no claim but the withdrawn one, and none that has begun', async () => {
    const withdrawals = ['a', 'b', 'c', 'd', 'e'].map((name) => {
      const withdrawal = new Withdrawal();
      takeTurn(name, 1, withdrawal);
      return withdrawal;
    });
    await takeGranted();
    withdrawals[0]!.withdraw();
    withdrawals[3]!.withdraw();
    expect(await takeGranted()).toEqual([['d', 'back']]);
    turns.end();
    turns.end();
    expect(await takeGranted()).toEqual([
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
            void some.take(one, notWithdrawn()).then(() => (speaking += 1));
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

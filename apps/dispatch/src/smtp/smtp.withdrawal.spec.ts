import { Withdrawal } from './smtp.withdrawal';

describe('Withdrawal', () => {
  const told: string[] = [];
  beforeEach(() => void told.splice(0));
  const one = () => void told.push('one');
  const other = () => void told.push('other');

  it('tells who listens, once', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    expect(withdrawal.withdrawn).toBe(false);
    withdrawal.withdraw();
    withdrawal.withdraw();
    expect(withdrawal.withdrawn).toBe(true);
    expect(told).toEqual(['one']);
  });

  it('tells only who came last; who went before takes nothing from them', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.listen(other);
    withdrawal.leave(one);
    withdrawal.withdraw();
    expect(told).toEqual(['other']);
  });

  it('tells nobody who left, and at once who comes too late', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.leave(one);
    withdrawal.withdraw();
    expect(told).toEqual([]);
    withdrawal.listen(other);
    expect(told).toEqual(['other']);
  });
});

import { Withdrawal } from './smtp.withdrawal';

describe('Withdrawal', () => {
  const told: string[] = [];
  beforeEach(() => void told.splice(0));
  const one = () => void told.push('one');
  const other = () => void told.push('other');

  it('notifies its listener once', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    expect(withdrawal.withdrawn).toBe(false);
    withdrawal.withdraw();
    withdrawal.withdraw();
    expect(withdrawal.withdrawn).toBe(true);
    expect(told).toEqual(['one']);
  });

  it('notifies only the last listener, even if an earlier one leaves', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.listen(other);
    withdrawal.leave(one);
    withdrawal.withdraw();
    expect(told).toEqual(['other']);
  });

  it('does not notify a listener that left, but at once one that comes too late', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.leave(one);
    withdrawal.withdraw();
    expect(told).toEqual([]);
    withdrawal.listen(other);
    expect(told).toEqual(['other']);
  });
});

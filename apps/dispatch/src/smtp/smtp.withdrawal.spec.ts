import { Withdrawal } from './smtp.withdrawal';

describe('Withdrawal', () => {
  const called: string[] = [];
  beforeEach(() => void called.splice(0));
  const one = () => void called.push('one');
  const other = () => void called.push('other');

  it('notifies its listener once', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    expect(withdrawal.withdrawn).toBe(false);
    withdrawal.withdraw();
    withdrawal.withdraw();
    expect(withdrawal.withdrawn).toBe(true);
    expect(called).toEqual(['one']);
  });

  it('notifies only the last listener, even if an earlier one leaves', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.listen(other);
    withdrawal.unlisten(one);
    withdrawal.withdraw();
    expect(called).toEqual(['other']);
  });

  it('does not notify a listener that left, but at once one that comes too late', () => {
    const withdrawal = new Withdrawal();
    withdrawal.listen(one);
    withdrawal.unlisten(one);
    withdrawal.withdraw();
    expect(called).toEqual([]);
    withdrawal.listen(other);
    expect(called).toEqual(['other']);
  });
});

import { fieldGroups, valueOf } from './fields';

describe('header-like fields of a report', () => {
  it('are unfolded with one space, however they were folded', () => {
    expect(fieldGroups('Diagnostic-Code: smtp; 550 User\r\n\t unknown\r\n  here')).toEqual([
      [['diagnostic-code', 'smtp; 550 User unknown here']],
    ]);
  });

  it('are grouped by blank lines; other lines are skipped', () => {
    expect(fieldGroups(' lost\nA: 1\nno field\nb : 2\n\n \n\nC:\n')).toEqual([
      [
        ['a', '1'],
        ['b', '2'],
      ],
      [['c', '']],
    ]);
  });

  it('go on if a server broke the lines of a diagnostic code without folding them, until a part ends', () => {
    const broken = 'Diagnostic-Code: smtp; 550 No mailbox\n(for a year)\n550 here\nStatus: 5.1.1\nlost\n\nTo: a';
    expect(fieldGroups(broken)[0]).toEqual([
      ['diagnostic-code', 'smtp; 550 No mailbox (for a year) 550 here'],
      ['status', '5.1.1'],
    ]);
    expect(fieldGroups('Diagnostic-Code: smtp; 550 no\n--b1\nlost')).toEqual([[['diagnostic-code', 'smtp; 550 no']]]);
  });

  it('yield the first value that is not empty', () => {
    const [fields] = fieldGroups('Status:\nstatus: 5.1.1\nStatus: 4.0.0');
    expect(valueOf(fields!, 'status')).toBe('5.1.1');
    expect(valueOf(fields!, 'action')).toBeUndefined();
  });
});

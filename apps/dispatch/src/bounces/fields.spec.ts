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

  it('yield the first value that is not empty', () => {
    const [fields] = fieldGroups('Status:\nstatus: 5.1.1\nStatus: 4.0.0');
    expect(valueOf(fields!, 'status')).toBe('5.1.1');
    expect(valueOf(fields!, 'action')).toBeUndefined();
  });
});

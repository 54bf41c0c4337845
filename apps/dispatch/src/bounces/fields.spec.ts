import { fieldGroups, valueOf } from './fields';

describe('fields', () => {
  it('are unfolded with one blank, however they were folded', () => {
    expect(fieldGroups('Diagnostic-Code: smtp; 550 User\r\n\t unknown\r\n  here')).toEqual([
      [['diagnostic-code', 'smtp; 550 User unknown here']],
    ]);
  });

  it('are grouped by blank lines; what is none is passed over', () => {
    expect(fieldGroups(' lost\nA: 1\nno field\nb : 2\n\n \n\nC:\n')).toEqual([
      [
        ['a', '1'],
        ['b', '2'],
      ],
      [['c', '']],
    ]);
  });

  it('have the first value that is one', () => {
    const [fields] = fieldGroups('Status:\nstatus: 5.1.1\nStatus: 4.0.0');
    expect(valueOf(fields!, 'status')).toBe('5.1.1');
    expect(valueOf(fields!, 'action')).toBeUndefined();
  });
});

import { columns, json, plain } from './output';

describe('what is written to a terminal', () => {
  it('is steered by nothing that a record or an answer holds, as JSON either', () => {
    const steering = 'a\u001b[31m\u009b2J\u2028b';
    expect(plain(steering)).toBe('a\ufffd[31m\ufffd2J\ufffdb');
    const written = json({ steering });
    expect(written).toBe('{\n  "steering": "a\\u001b[31m\\u009b2J\\u2028b"\n}\n');
    expect(JSON.parse(written)).toEqual({ steering });
  });

  it('stands in columns, however many rows there are', () => {
    expect(columns(['A', 'B'], [['long', ''], ...Array<string[]>(200_000).fill(['x', 'y'])]).slice(0, 3)).toEqual([
      ...['A     B', 'long', 'x     y'],
    ]);
  });
});

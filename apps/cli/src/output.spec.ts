import { Readable } from 'node:stream';
import { tableLines, json, jsonList, printable } from './output';

describe('output to the terminal', () => {
  it('has no control characters of a record or a response, also as JSON', () => {
    const steering = 'a\u001b[31m\u009b2J\u2028b';
    expect(printable(steering)).toBe('a\ufffd[31m\ufffd2J\ufffdb');
    const written = json({ steering });
    expect(written).toBe('{\n  "steering": "a\\u001b[31m\\u009b2J\\u2028b"\n}\n');
    expect(JSON.parse(written)).toEqual({ steering });
  });

  it('has no marks that change the direction of text: what stands behind them would be read in another order', () => {
    const misleading = 'a\u202egnp.exe\u2066b\u200f';
    expect(printable(misleading)).toBe('a\ufffdgnp.exe\ufffdb\ufffd');
    expect(JSON.parse(json(misleading))).toBe(misleading);
    expect(json(misleading)).not.toContain('\u202e');
  });

  it('is aligned in columns, however many rows there are', () => {
    expect(tableLines(['A', 'B'], [['long', ''], ...Array<string[]>(200_000).fill(['x', 'y'])]).slice(0, 3)).toEqual([
      'A     B',
      'long',
      'x     y',
    ]);
  });

  it('is the same list whether it is written whole or an item at a time', async () => {
    const item = { a: 'x\ny\u2028', b: [{ c: {}, d: [] }, null] };
    for (const list of [[], [item], [item, 'text', item]]) {
      const pieces: string[] = [];
      for await (const piece of jsonList(Readable.from(list))) pieces.push(piece);
      expect(pieces.join('')).toBe(json(list));
      expect(pieces).toHaveLength(list.length + 1);
    }
  });

  it('begins no list whose first item cannot be read', async () => {
    const failing = Readable.from(
      (function* () {
        throw new Error('refused');
      })(),
    );
    await expect(jsonList(failing).next()).rejects.toThrow('refused');
  });
});

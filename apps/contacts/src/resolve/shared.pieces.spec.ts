import fc from 'fast-check';
import { requested } from '../testing/requested';
import { splitBySharedSize } from './shared.pieces';

const MIB = 1024 * 1024;
const message = (blob: string | undefined, size = MIB) => ({
  data: requested(1, { email: 'ada@x.org' }, blob === undefined ? {} : { shared: { blob, size } }),
});
const sizes = (pieces: unknown[][]) => pieces.map(({ length }) => length);

describe('splitBySharedSize', () => {
  it('returns one piece if nothing is shared, or all refer to the same blob', () => {
    expect(splitBySharedSize([])).toEqual([]);
    expect(sizes(splitBySharedSize(Array.from({ length: 200 }, () => message(undefined))))).toEqual([200]);
    expect(sizes(splitBySharedSize(Array.from({ length: 200 }, () => message('a'))))).toEqual([200]);
    expect(sizes(splitBySharedSize(Array.from({ length: 200 }, () => message('a', 3 * MIB))))).toEqual([200]);
  });

  it('puts at most 2 MiB of blobs in a piece, each counted once, or a single larger one', () => {
    expect(sizes(splitBySharedSize(['a', 'b', 'a', 'c', 'a', 'b'].map((blob) => message(blob))))).toEqual([3, 2, 1]);
    expect(sizes(splitBySharedSize(['a', 'b', undefined, 'c'].map((blob) => message(blob, 3 * MIB))))).toEqual([
      1, 2, 1,
    ]);
  });

  it('keeps all messages, in order', () => {
    const one = fc.tuple(fc.constantFrom(undefined, 'a', 'b', 'c'), fc.integer({ min: 1, max: 3 * MIB }));
    fc.assert(
      fc.property(fc.array(one), (given) => {
        const messages = given.map(([blob, size]) => message(blob, size));
        const pieces = splitBySharedSize(messages);
        expect(pieces.flat()).toEqual(messages);
        expect(pieces.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });
});

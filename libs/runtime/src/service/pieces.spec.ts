import * as fc from 'fast-check';
import { Pieces } from './pieces';

describe('pieces of a body', () => {
  it('are enough to be joined by their bytes or by their number', () => {
    const pieces = new Pieces();
    pieces.add(Buffer.alloc(64 * 1024 - 1));
    expect(pieces.areEnough).toBe(false);
    pieces.add(Buffer.alloc(1));
    expect(pieces.areEnough).toBe(true);
    pieces.join();
    for (let i = 0; i < 1023; i += 1) pieces.add(Buffer.alloc(1));
    expect(pieces.areEnough).toBe(false);
    pieces.add(Buffer.alloc(1));
    expect(pieces.areEnough).toBe(true);
  });

  it('join to the whole body, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uint8Array({ maxLength: 5 }), fc.boolean())), (given) => {
        const pieces = new Pieces();
        const joined = given.flatMap(([bytes, joins]) => {
          pieces.add(Buffer.from(bytes));
          return joins ? [pieces.join()] : [];
        });
        const whole = Buffer.concat(given.map(([bytes]) => bytes));
        expect(Buffer.concat([...joined, pieces.join()]).equals(whole)).toBe(true);
        expect(pieces.join()).toHaveLength(0);
      }),
    );
  });
});

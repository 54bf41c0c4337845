import * as fc from 'fast-check';

const piece = fc.constantFrom(...'abcXYZ019.-_+"\\@ <>(),:;[]éßü😀\u0000\n\u2028\ud800', 'xn--', 'example.com', '@');
/** Generates texts that are addresses, or nearly are. */
export const nearAddress = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }))
    .map(([l, d]) => `${l.join('')}@${d.join('')}`),
  fc.emailAddress(),
);

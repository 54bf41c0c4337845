import * as fc from 'fast-check';
import { delimiterOf, PartCount } from './part.count';

const count = (chunks: (string | Buffer)[]) => {
  const parts = new PartCount(delimiterOf('multipart/form-data; boundary=bb')!);
  for (const chunk of chunks) parts.add(Buffer.from(chunk as string));
  return parts.parts;
};

describe('the parts of a body', () => {
  it.each([
    ['none', '', 0],
    ['an end alone', '--bb--\r\n', 0],
    ['one', '--bb\r\n\r\nx\r\n--bb--\r\n', 1],
    ['two', '--bb\r\n\r\nx\r\n--bb\r\n\r\ny\r\n--bb--\r\n', 2],
    ['a preamble', 'hello --bb\r\n--bb\r\n\r\nx\r\n--bb--', 1],
    ['an epilogue', '--bb\r\n\r\nx\r\n--bb--\r\n--bb\r\n\r\n--bb\r\n', 1],
    ['a boundary inside a line', '--bb\r\n\r\nx--bb\n--bb\r--bb\r\n--bb--', 1],
    ['nearly a boundary', '--bb\r\n\r\n\r\n--b\r\n--bc\r\n\r\n--bb--', 1],
    ['no end', '--bb\r\n\r\nx', 1],
  ])('%s', (_what, body, parts) => {
    expect(count([body])).toBe(parts);
  });

  it('however the body is cut', () => {
    const piece = fc.constantFrom('\r\n', '--bb', '--', '-', 'b', '\r\n--bb\r\n', 'x', '\r', '\n');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 8 }),
        (pieces, cuts) => {
          const body = Buffer.from(pieces.join(''));
          const places = [0, ...cuts.map((at) => at % (body.length + 1)), body.length].sort((a, b) => a - b);
          const chunks = places.slice(1).map((end, i) => body.subarray(places[i], end));
          expect(count(chunks)).toBe(count([body]));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['multipart/form-data; boundary=a', 'a'],
    ['multipart/form-data; charset=utf-8; boundary="a b:c"', 'a b:c'],
    ['Multipart/Form-Data;BOUNDARY=a;x=y', 'a'],
    ['multipart/form-data', undefined],
    ['multipart/form-data; boundary=', undefined],
  ])('delimiter of %s', (type, boundary) => {
    expect(delimiterOf(type)?.toString()).toBe(boundary && `\r\n--${boundary}`);
  });
});

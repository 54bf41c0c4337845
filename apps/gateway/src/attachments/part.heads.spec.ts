import * as fc from 'fast-check';
import { delimiterOf, extendedNameIn, isNameInPieces, PartHeads, contentTypeIn } from './part.heads';

const headsIn = (chunks: (string | Buffer)[]) => {
  const parts = new PartHeads(delimiterOf('multipart/form-data; boundary=bb')!);
  for (const chunk of chunks) parts.add(Buffer.from(chunk as string));
  return parts.heads;
};

describe('the parts of a body', () => {
  it.each([
    ['no part', '', 0],
    ['only a closing boundary', '--bb--\r\n', 0],
    ['one part', '--bb\r\n\r\nx\r\n--bb--\r\n', 1],
    ['two parts', '--bb\r\n\r\nx\r\n--bb\r\n\r\ny\r\n--bb--\r\n', 2],
    ['a preamble', 'hello --bb\r\n--bb\r\n\r\nx\r\n--bb--', 1],
    ['an epilogue', '--bb\r\n\r\nx\r\n--bb--\r\n--bb\r\n\r\n--bb\r\n', 1],
    ['a boundary inside a line', '--bb\r\n\r\nx--bb\n--bb\r--bb\r\n--bb--', 1],
    ['a line that resembles a boundary', '--bb\r\n\r\n\r\n--b\r\n--bc\r\n\r\n--bb--', 1],
    ['no closing boundary', '--bb\r\n\r\nx', 1],
    ['one dash after a boundary', '--bb\r\n\r\nx\r\n--bb-x\r\n\r\ny\r\n--bb--', 2],
    ['another character and a dash after a boundary', '--bb\r\n\r\nx\r\n--bbx-\r\n\r\ny\r\n--bb--', 2],
  ])('are counted in a body with %s', (_what, body, parts) => {
    expect(headsIn([body])).toHaveLength(parts);
  });

  it.each([
    ['', '--', [false, true]],
    [' ', '--', [true, true]],
    ['\t', '', [true, false]],
    ['', '-', [false, false]],
  ])('tell whether blanks follow a boundary (%j), and whether the last one was seen (%j)', (blanks, end, told) => {
    const parts = new PartHeads(delimiterOf('multipart/form-data; boundary=bb')!);
    parts.add(Buffer.from(`--bb${blanks}\r\n\r\nx\r\n--bb${end}`));
    expect([parts.padded, parts.ended]).toEqual(told);
  });

  it('are the same however the body is split into chunks', () => {
    const piece = fc.constantFrom('\r\n', '--bb', '--', '-', 'b', '\r\n--bb\r\n', '\r\n\r\n', 'x', '\r', '\n');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 8 }),
        (pieces, cuts) => {
          const body = Buffer.from(pieces.join(''));
          const places = [0, ...cuts.map((at) => at % (body.length + 1)), body.length].sort((a, b) => a - b);
          const chunks = places.slice(1).map((end, i) => body.subarray(places[i], end));
          expect(headsIn(chunks)).toEqual(headsIn([body]));
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
    ['multipart/form-data; boundary = "a b"', 'a b'],
    ['multipart/form-data; boundary=', undefined],
    ["multipart/form-data; boundary*=UTF-8''a", undefined],
  ])('are delimited as %s says', (type, boundary) => {
    expect(delimiterOf(type)?.toString()).toBe(boundary && `\r\n--${boundary}`);
  });

  it.each([
    ['an empty head', '--bb\r\n\r\nx\r\n--bb--', ['']],
    ['a head of one line', '--bb\r\nA: b\r\n\r\nx: y\r\n\r\n--bb--', ['\r\nA: b']],
    ['an empty head after another head', '--bb\r\nA: b\r\n\r\nx\r\n--bb\r\n\r\nA: c\r\n\r\n--bb--', ['\r\nA: b', '']],
    ['a head without content', '--bb\r\nA: b\r\n\r\n--bb--', ['\r\nA: b']],
    ['a head without an end', '--bb\r\nA: b\r\n--bb\r\nA: c', [undefined, undefined]],
    ['a head of 8192 bytes', `--bb\r\nA: ${'b'.repeat(8183)}\r\n\r\n`, [`\r\nA: ${'b'.repeat(8183)}`]],
    ['a head of 8193 bytes', `--bb\r\nA: ${'b'.repeat(8184)}\r\n\r\n`, [undefined]],
  ])('have their heads read: %s', (_what, body, heads) => {
    expect(headsIn([body])).toEqual(heads);
    expect(headsIn([...body])).toEqual(heads);
  });

  it('have heads that are not kept once they were taken', () => {
    const parts = new PartHeads(delimiterOf('multipart/form-data; boundary=bb')!);
    parts.add(Buffer.from('--bb\r\nA: b\r\n\r\nx\r\n--bb\r\nA: c\r\n\r\n'));
    expect([parts.take(0), parts.take(0), parts.take(1), parts.take(2)]).toEqual([
      '\r\nA: b',
      undefined,
      '\r\nA: c',
      undefined,
    ]);
    expect([parts.parts, parts.heads]).toEqual([2, [undefined, undefined]]);
  });

  it('are counted beyond the first 2000, without keeping their heads', () => {
    const heads = headsIn(['--bb\r\nA: b\r\n\r\n\r\n'.repeat(2002)]);
    expect(heads).toHaveLength(2002);
    expect(heads.filter((head) => head === '\r\nA: b')).toHaveLength(2000);
  });

  it.each([
    ['\r\nContent-Type: text/calendar; method=REQUEST', 'text/calendar; method=REQUEST'],
    ['\r\nX: y\r\ncontent-type:\ta/b;\r\n\tc=d ', 'a/b; c=d'],
    ['\r\nContent-Type:a/b\r\nContent-Type: c/d', 'a/b'],
    ['\r\nX-Content-Type: a/b', undefined],
    [`\r\nContent-Type: a/b; c=${'d'.repeat(600)}`, `a/b; c=${'d'.repeat(505)}`],
    ['', undefined],
  ])('have their type read from %j', (head, type) => {
    expect(contentTypeIn(head)).toBe(type);
  });

  it.each([
    ['filename*0="a"; filename*1="b"', true],
    ["filename*0*=UTF-8''a", true],
    ['filename="1=2.txt"', false],
    ['filename="x; filename*0=a\\"; filename*0=b"', false],
    ["filename*=UTF-8''a", false],
    ['x="filename*0=a; filename*0=b', false],
  ])('have a file name in pieces in %s: %s', (parameter, inPieces) => {
    expect(isNameInPieces(`\r\nContent-Disposition: form-data; name="f"; ${parameter}`)).toBe(inPieces);
  });

  // If each quote were tried as the opening one, a head full of quotes that do not end would take time in the square of its length.
  it.each(['x="; filename*0=a', 'x="\\"; filename*0=a', 'x="\\\\\\"; filename*0=a'])(
    'have a quoted string that does not end extend to their end, which is read once: %s',
    (parameter) => {
      const head = `\r\nContent-Disposition: form-data; name="f"; ${parameter}`;
      expect([isNameInPieces(head), isNameInPieces(`${head}"; filename*0=b`)]).toEqual([false, true]);
    },
  );

  it.each([
    [`filename="caf?.txt"; filename*=UTF-8''caf%C3%A9.txt`, 'café.txt'],
    [`filename*=utf-8'en'%E2%82%AC%20rates; filename="EUR rates"`, '€ rates'],
    [`FileName*=ISO-8859-1''caf%E9`, 'café'],
    [`filename*=UTF-8''..%2F..%5Cit's.txt`, "it's.txt"],
    [`filename*=UTF-8''a%2F..`, ''],
    [`filename*=UTF-8''caf\u00c3\u00a9`, undefined],
    [`filename="a"; filename*=UTF-8''%C3`, undefined],
    [`filename="a"; filename*=UTF-8''100%`, undefined],
    [`filename="a"; filename*=KOI8-R''%F0`, undefined],
    [`filename="; filename*=UTF-8''a"`, undefined],
    ['filename="a"', undefined],
  ])('have their extended file name read from %s', (parameters, name) => {
    expect(extendedNameIn(`\r\nContent-Disposition: form-data; name="f"; ${parameters}`)).toBe(name);
  });
});

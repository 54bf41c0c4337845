import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { RelaxedBody } from './dkim.body';

const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('base64');

function hashOf(...chunks: string[]): string {
  const body = new RelaxedBody();
  for (const chunk of chunks) body.update(Buffer.from(chunk, 'latin1'));
  return body.digest().toString('base64');
}

/** Applies the rules of RFC 6376 section 3.4.4 one after the other. */
function relaxed(text: string): string {
  const lines = text.split('\r\n').map((line) => line.replace(/[\t ]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}

describe('the relaxed body', () => {
  it.each([
    ['the example of section 3.4.5', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
    ['an empty body', '', ''],
    ['empty lines', '\r\n\r\n', ''],
    ['lines of spaces and tabs', ' \t\r\n  \r\n', ''],
    ['a line without an end', 'a', 'a\r\n'],
    ['a space at the very end', 'a ', 'a\r\n'],
    ['empty lines before and between', '\r\na\r\n\r\nb\r\n', '\r\na\r\n\r\nb\r\n'],
    ['a CR by itself', 'a\rb\r', 'a\rb\r\r\n'],
    ['an LF by itself', 'a\n b\n', 'a\n b\n\r\n'],
    ['a CR before a line end', 'a \r\r\n', 'a \r\r\n'],
    ['bytes over 127', 'z\u00a0\u0085 \u00e9\r\n', 'z\u00a0\u0085 \u00e9\r\n'],
  ])('is canonicalized by the rules: %s', (_what, body, expected) => {
    expect(hashOf(body)).toBe(sha256(expected));
  });

  it('is the same however the body is cut into chunks', () => {
    const text = fc.array(fc.constantFrom(' ', '\t', '\r\n', '\r', '\n', 'a', '.', '\u00e9'), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 6 }), (parts, cuts) => {
        const body = parts.join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, body.length)).sort((a, b) => a - b), body.length];
        const chunks = places.slice(1).map((end, index) => body.slice(places[index], end));
        expect(hashOf(...chunks)).toBe(sha256(relaxed(body)));
        expect(hashOf(relaxed(body))).toBe(hashOf(body));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps line ends before further text, even very many of them', () => {
    const lines = '\r\n'.repeat(200_000);
    expect(hashOf(`a${lines}`, `${lines}b`)).toBe(sha256(`a${lines}${lines}b\r\n`));
  });
});

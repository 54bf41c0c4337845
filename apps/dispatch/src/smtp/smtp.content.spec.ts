import fc from 'fast-check';
import { DotStuffing } from './smtp.content';

function sent(chunks: Buffer[]): string {
  const outgoing = new DotStuffing(chunks[Symbol.iterator]());
  const written: Buffer[] = [];
  while (!outgoing.finished) written.push(outgoing.next());
  return Buffer.concat(written).toString('latin1') + outgoing.terminator();
}

/** The mail as a server reads it (RFC 5321 section 4.5.2). */
function received(wire: string): string {
  const end = wire.startsWith('.\r\n') ? 0 : wire.indexOf('\r\n.\r\n') + 2;
  expect(wire.slice(end)).toBe('.\r\n');
  return wire.slice(0, end).replace(/^\./gm, '');
}

describe('DotStuffing', () => {
  it('preserves any lines, however they are cut into chunks', () => {
    const line = fc.constantFrom('', '.', '..', 'a.', '.a', 'end', '...');
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (lines, cuts) => {
        const text = lines.map((one) => `${one}\r\n`).join('');
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < text.length && turn < 1000; turn += 1) {
          const length = cuts[turn % cuts.length]!;
          chunks.push(Buffer.from(text.slice(at, at + length)));
          at += length;
        }
        if (cuts.every((cut) => cut === 0)) return;
        expect(received(sent(chunks))).toBe(text);
      }),
    );
  });

  it('ends the last line if the mail does not', () => {
    expect(sent([Buffer.from('a\r\n.b')])).toBe('a\r\n..b\r\n.\r\n');
    expect(sent([Buffer.from('a\r\n'), Buffer.alloc(0)])).toBe('a\r\n.\r\n');
    expect(sent([])).toBe('.\r\n');
  });

  it('is finished after a single chunk', () => {
    const outgoing = new DotStuffing([Buffer.from('a\r\n')][Symbol.iterator]());
    expect(outgoing.next().toString()).toBe('a\r\n');
    expect(outgoing.finished).toBe(true);
    expect(outgoing.terminator()).toBe('.\r\n');
  });
});

import fc from 'fast-check';
import { AnswerReader, InvalidAnswer } from './smtp.reader';

/** Reads until there is a fault, which it throws. */
const read = (...chunks: string[]): string[] => {
  const reader = new AnswerReader();
  return chunks.flatMap((chunk) => {
    const answers = reader.read(Buffer.from(chunk));
    if (reader.fault) throw reader.fault;
    return answers;
  });
};

describe('AnswerReader', () => {
  it.each([
    ['a line without end', ['250 ' + 'x'.repeat(1_000_000)]],
    ['a line without end, bit by bit', Array.from({ length: 20_000 }, () => 'x')],
    ['a long line with an end', [`250 ${'x'.repeat(9_000)}\r\n`]],
    ['lines without end', ['250-more\r\n'.repeat(100_000)]],
    ['lines without end, one by one', Array.from({ length: 100_000 }, () => '250-more\r\n')],
    ['a multi-line answer of NULs', [`250-${'\0'.repeat(8_000)}\r\n`.repeat(10)]],
  ])('gives up on %s', (_, chunks) => {
    expect(() => read(...chunks)).toThrow(new InvalidAnswer('an answer without end'));
  });

  it('reads replies with empty lines and bare line feeds', () => {
    expect(read('250-a\r\n250 b\r\n\r\n354 go\n')).toEqual(['250-a\n250 b', '354 go']);
    expect(read('garbage\r\n', '999\r\n', '\0\r\n')).toEqual(['garbage', '999', '\0']);
    expect(read('550 Грешка\r\n')).toEqual(['550 Грешка']);
  });

  it.each([
    ['250-taken\r\n550 refused\r\n', 'an answer that says both 250 and 550'],
    ['250-a\r\n251 b\r\n', undefined],
    ['550-a\r\n421-b\r\n250 c\r\n', 'an answer that says both 550 and 421'],
  ])('recognizes a reply that is both positive and negative (%j: %j)', (said, why) => {
    if (why === undefined) expect(() => read(said)).not.toThrow();
    else expect(() => read(said)).toThrow(new InvalidAnswer(why));
  });

  it('gives up on a reply of several lines if one has no code: nobody knows where it ends', () => {
    for (const line of ['and more', '25 b', '250b', ' 250 b']) {
      const reader = new AnswerReader();
      expect(reader.read(Buffer.from(`250 a\r\n250-b\r\n${line}\r\n250 c\r\n`))).toEqual(['250 a']);
      expect([reader.holdsMore, reader.fault]).toEqual([
        true,
        new InvalidAnswer('an answer with a line without a code'),
      ]);
    }
  });

  it('returns a refusal all the same', () => {
    const reader = new AnswerReader();
    expect(reader.read(Buffer.from('550-no such user\r\nsee our page\r\n550 c\r\n'))).toEqual([
      '550-no such user\nsee our page',
    ]);
    expect(reader.fault).toEqual(new InvalidAnswer('an answer with a line without a code'));
    expect(() => read('550-a\r\n250-b\r\nc\r\n')).toThrow(new InvalidAnswer('an answer that says both 550 and 250'));
  });

  it('returns the replies that were complete before a fault', () => {
    const reader = new AnswerReader();
    expect(reader.read(Buffer.from('250 taken\r\n250-and\r\n550 no\r\n250 more\r\n'))).toEqual(['250 taken']);
    expect([reader.holdsMore, reader.fault]).toEqual([true, new InvalidAnswer('an answer that says both 250 and 550')]);
  });

  it('reports incomplete input', () => {
    const reader = new AnswerReader();
    reader.read(Buffer.from('250 a\r\n'));
    expect(reader.holdsMore).toBe(false);
    reader.read(Buffer.from('421-closing\r\n421 bye'));
    expect(reader.holdsMore).toBe(true);
    expect(reader.partialAnswer()).toBe('421-closing\n421 bye');
  });

  it('reads the same replies, however they are cut into chunks', () => {
    const answer = fc
      .tuple(
        fc.integer({ min: 200, max: 599 }),
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1 }),
      )
      .map(([code, texts]) => {
        const lines = texts.map((text) => text.replace(/[\r\n]/g, ''));
        return (
          lines.map((text, index) => `${code}${index < lines.length - 1 ? '-' : ' '}${text}`).join('\r\n') + '\r\n'
        );
      });
    fc.assert(
      fc.property(fc.array(answer), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (answers, cuts) => {
        const bytes = Buffer.from(answers.join(''));
        const reader = new AnswerReader();
        const found: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + cuts[turn % cuts.length]!;
          found.push(...reader.read(bytes.subarray(at, end)));
          at = end;
        }
        expect(found).toEqual(read(...answers));
        expect(reader.holdsMore).toBe(false);
      }),
    );
  });
});

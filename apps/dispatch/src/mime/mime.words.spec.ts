import { decodeWords } from 'postal-mime';
import { SCRIPTS } from '../testing/mime.corpus';
import { FoldedLine } from './mime.lines';

function written(text: string): string {
  const line = new FoldedLine('Subject');
  line.addEncodedWords(text);
  return line.text;
}
const wordsOf = (field: string) => field.match(/=\?UTF-8\?[BQ]\?[^?]*\?=/g) ?? [];

describe('encoded words', () => {
  it.each([
    'Дмитрий Иванов',
    'Ελένη Παπαδοπούλου',
    'محمد عبد الله',
    'Nguyễn Thị Ánh',
    '👩‍👩‍👧‍👦 family 🏳️‍🌈',
    'ü',
    '名',
    'ü名',
  ])('have no padding before the last, as some readers stop at it: %s', (text) => {
    const words = wordsOf(written(text.repeat(20)));
    expect(words.slice(0, -1).filter((word) => word.endsWith('=?='))).toEqual([]);
  });

  it.each([...SCRIPTS, '🎉名', 'x'].map((text) => [text]))('are short, few and read as written: %s', (text) => {
    for (const long of [text, text.repeat(7), text.repeat(90)]) {
      const field = written(long);
      const words = wordsOf(field);
      expect(decodeWords(field.slice('Subject:'.length).replaceAll('\r\n', '').trim())).toBe(long);
      for (const word of words) expect(word.length).toBeLessThanOrEqual(75);
      for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
      const octets = words[0]!.includes('?B?') ? Buffer.byteLength(long) * (4 / 3) : 3 * Buffer.byteLength(long);
      expect(words.length).toBeLessThanOrEqual(2 + octets / 32);
    }
  });

  it('are padded where no cut without padding is near', () => {
    const text = `🎉${'名'.repeat(40)}`;
    expect(decodeWords(written(text).slice('Subject:'.length).replaceAll('\r\n', '').trim())).toBe(text);
  });
});

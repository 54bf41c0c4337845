import { FoldedLine } from './mime.lines';
import { addParameter } from './mime.parameters';

function written(fileName: string): string {
  const line = new FoldedLine('Content-Disposition');
  line.addToken('attachment');
  addParameter(line, 'filename', fileName);
  return line.text;
}
const sectionsOf = (text: string) => [...text.matchAll(/filename\*(\d+)\*=([^;\s]*)/g)];
const decoded = (text: string) =>
  decodeURIComponent(
    sectionsOf(text)
      .map(([, , section]) => section)
      .join('')
      .slice("utf-8''".length),
  );

describe('a long file name', () => {
  it('is split into sections for lines of 76 characters', () => {
    const text = written(`${'ü'.repeat(60)}.pdf`);
    expect(sectionsOf(text)).toHaveLength(7);
    for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  });

  it.each([
    ['letters of two octets', 'ü'.repeat(255)],
    ['letters of three octets', '名'.repeat(255)],
    ['emoji', '🎉'.repeat(127)],
  ])('of %s has ten sections at most, as some readers sort them as text', (_, name) => {
    const text = written(name);
    expect(sectionsOf(text).length).toBeLessThanOrEqual(10);
    expect(decoded(text)).toBe(name);
    for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(400);
  });

  it('has more sections rather than lines over 998', () => {
    const text = written('名'.repeat(3000));
    expect(decoded(text)).toBe('名'.repeat(3000));
    for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  });
});

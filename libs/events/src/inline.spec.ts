import { ridesInline } from './inline';

const LIMIT = 256 * 1024;

describe('a text in an event', () => {
  it.each([
    ['letters', 'a', 1],
    ['quotes', '"', 2],
    ['line breaks', '\n', 2],
    ['control characters', '\u0001', 6],
    ['accents', 'é', 2],
    ['emoji', '😀', 4],
  ])('is inline up to 256 KiB of JSON: %s', (_, character, bytes) => {
    const room = Math.floor((LIMIT - 2) / bytes);
    expect(ridesInline(character.repeat(room))).toBe(true);
    expect(ridesInline(character.repeat(room + 1))).toBe(false);
  });
});

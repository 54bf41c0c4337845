import { fitsInEvent } from './inline';

const MAX_INLINE_BYTES = 256 * 1024;

describe('a text in an event', () => {
  it.each([
    ['letters', 'a', 1],
    ['quotes', '"', 2],
    ['line breaks', '\n', 2],
    ['control characters', '\u0001', 6],
    ['accents', 'é', 2],
    ['emoji', '😀', 4],
  ])('is inline up to 256 KiB of JSON: %s', (_, character, bytes) => {
    const room = Math.floor((MAX_INLINE_BYTES - 2) / bytes);
    expect(fitsInEvent(character.repeat(room))).toBe(true);
    expect(fitsInEvent(character.repeat(room + 1))).toBe(false);
  });
});

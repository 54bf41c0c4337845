import { mendTextDecoder } from './text.decoder';

const C1 = Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index);
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

describe('the decoder of the platform', () => {
  beforeAll(() => {
    mendTextDecoder();
    mendTextDecoder();
  });

  it.each(['windows-1252', 'latin1', 'ascii'])('reads %s as mail programs do, on each call', (label) => {
    const decoder = new TextDecoder(label);
    for (let time = 0; time < 2; time += 1) expect(decoder.decode(C1)).toBe(WINDOWS_1252);
    expect(decoder.decode(Uint8Array.of(0x41, 0xe9, 0xff))).toBe('Aéÿ');
    expect(decoder.decode(C1.buffer)).toBe(WINDOWS_1252);
    expect([decoder.decode(), decoder.decode(new Uint8Array())]).toEqual(['', '']);
  });

  it('still reads in pieces', () => {
    const decoder = new TextDecoder('windows-1252');
    expect(decoder.decode(C1.subarray(0, 2), { stream: true }) + decoder.decode(C1.subarray(2))).toBe(WINDOWS_1252);
  });

  it('still reads other charsets', () => {
    expect(new TextDecoder().decode(Uint8Array.of(0xe2, 0x82, 0xac))).toBe('€');
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(C1)).toThrow('not valid');
  });
});

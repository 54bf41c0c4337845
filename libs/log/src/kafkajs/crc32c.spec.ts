import fc from 'fast-check';
import { crc32c } from './crc32c';

/** The definition, bit by bit. */
function byBits(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

describe('CRC-32C', () => {
  it.each([
    ['no bytes', Buffer.alloc(0), 0],
    ['the standard check digits', Buffer.from('123456789'), 0xe3069283],
    ['32 zeros (RFC 3720, B.4)', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, at) => at)), 0x46dd794e],
  ])('is correct for %s', (_what, bytes, sum) => {
    expect(crc32c(bytes)).toBe(sum);
  });

  it('of a range depends only on the bytes in it', () => {
    const bytes = fc.uint8Array({ maxLength: 100 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (before, between, after) => {
        const all = Buffer.concat([before, between, after]);
        expect(crc32c(all, before.length, before.length + between.length)).toBe(byBits(between));
      }),
    );
  });
});

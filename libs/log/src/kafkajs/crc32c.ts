/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** With eight tables a step takes eight bytes, with one table a single byte. */
const [T0, T1, T2, T3, T4, T5, T6, T7] = tables();

function tables(): Int32Array[] {
  const all = Array.from({ length: 8 }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    all[0]![byte] = crc;
  }
  for (let at = 1; at < 8; at += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      const before = all[at - 1]![byte]!;
      all[at]![byte] = (before >>> 8) ^ all[0]![before & 255]!;
    }
  }
  return all;
}

/** CRC-32C (RFC 3720, B.4) of the bytes from `from` up to `to`; unsigned. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = -1;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    const first = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      T7![first & 255]! ^
      T6![(first >>> 8) & 255]! ^
      T5![(first >>> 16) & 255]! ^
      T4![first >>> 24]! ^
      T3![bytes[at + 4]!]! ^
      T2![bytes[at + 5]!]! ^
      T1![bytes[at + 6]!]! ^
      T0![bytes[at + 7]!]!;
  }
  for (; at < to; at += 1) crc = T0![(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The partition of a key: FNV-1a (32 bit) over its UTF-8 bytes, mixed by the finaliser of MurmurHash3 (FNV's low bits
 * depend on the low bits of the input alone), modulo the number of partitions. Must stay the same for ever: a key that
 * moved would lose its order.
 */
export function partitionOf(key: string, partitions: number): number {
  let hash = BASIS;
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    if (code > 0x7f) return finished(overBytes(key), partitions);
    hash = Math.imul(hash ^ code, PRIME);
  }
  return finished(hash, partitions);
}

function overBytes(key: string): number {
  let hash = BASIS;
  for (const byte of Buffer.from(key, 'utf8')) hash = Math.imul(hash ^ byte, PRIME);
  return hash;
}

function finished(fnv: number, partitions: number): number {
  let hash = fnv;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

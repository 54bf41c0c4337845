const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The partition of a key: FNV-1a (32 bit) over its UTF-8 bytes, mixed by the finaliser of MurmurHash3 (FNV's low bits
 * depend on the low bits of the input alone), modulo the number of partitions. It is not that of Kafka, as it must stay
 * the same for ever: a key that moved to another partition of its log would lose its order.
 */
export function partitionOf(key: string, partitions: number): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    if (code > 0x7f) return partitionOfHash(hashOfBytes(key), partitions);
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return partitionOfHash(hash, partitions);
}

function hashOfBytes(key: string): number {
  let hash = FNV_BASIS;
  for (const byte of Buffer.from(key, 'utf8')) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash;
}

function partitionOfHash(fnv: number, partitions: number): number {
  let hash = fnv;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

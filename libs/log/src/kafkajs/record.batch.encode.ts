import { crc32c } from './crc32c';

/** A record as `KafkaSender` hands it to kafkajs. */
export interface OutgoingRecord {
  key: string;
  value: string | Buffer;
  headers: Record<string, string>;
  /** Milliseconds since the epoch; the same for all that are sent together. */
  timestamp: string;
}

const MAGIC = 2;
/** Bytes from the base offset up to and including the number of records. */
const HEAD_BYTES = 61;
/** Bytes of the base offset and of the length field, which the length does not count. */
const BEFORE_LENGTH_BYTES = 12;

/** A batch to be written, its size and that of each of its records. */
export interface PlannedBatch {
  records: OutgoingRecord[];
  /** Bytes of each record, without the length field before it. */
  lengths: number[];
  bytes: number;
}

export function planBatch(records: OutgoingRecord[]): PlannedBatch {
  const lengths = records.map(recordBytes);
  return { records, lengths, bytes: lengths.reduce((sum, length) => sum + varIntBytes(length) + length, HEAD_BYTES) };
}

/**
 * Writes a record batch of format 2 (Kafka's protocol guide, "Record Batch"), uncompressed, of a producer that is not
 * idempotent. Returns the offset at which it ends.
 */
export function writeBatch(buffer: Buffer, start: number, { records, lengths, bytes }: PlannedBatch): number {
  const timestamp = BigInt(records[0]!.timestamp);
  let at = buffer.writeBigInt64BE(0n, start);
  at = buffer.writeInt32BE(bytes - BEFORE_LENGTH_BYTES, at);
  // Leader epoch, which the broker sets.
  at = buffer.writeInt32BE(0, at);
  const checksumAt = buffer.writeInt8(MAGIC, at);
  const checksummedFrom = checksumAt + 4;
  // No attributes.
  at = buffer.writeInt16BE(0, checksummedFrom);
  at = buffer.writeInt32BE(records.length - 1, at);
  // The first and the last timestamp; those of the records are relative to the first.
  at = buffer.writeBigInt64BE(timestamp, at);
  at = buffer.writeBigInt64BE(timestamp, at);
  // No producer id: neither idempotent nor in a transaction.
  at = buffer.writeBigInt64BE(-1n, at);
  at = buffer.writeInt16BE(0, at);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeInt32BE(records.length, at);
  records.forEach((record, offset) => {
    at = writeVarInt(buffer, at, lengths[offset]!);
    at = writeRecord(buffer, at, record, offset);
  });
  buffer.writeUInt32BE(crc32c(buffer, checksummedFrom, at), checksumAt);
  return at;
}

function recordBytes({ key, value, headers }: OutgoingRecord, offset: number): number {
  // A byte each for the attributes (none) and the timestamp delta (0).
  let bytes = 2 + varIntBytes(offset) + textBytes(key) + textBytes(value);
  let count = 0;
  for (const name in headers) {
    bytes += textBytes(name) + textBytes(headers[name]!);
    count += 1;
  }
  return bytes + varIntBytes(count);
}

function writeRecord(buffer: Buffer, start: number, { key, value, headers }: OutgoingRecord, offset: number): number {
  let at = buffer.writeInt16BE(0, start);
  at = writeVarInt(buffer, at, offset);
  at = writeText(buffer, at, key);
  at = writeText(buffer, at, value);
  at = writeVarInt(buffer, at, Object.keys(headers).length);
  for (const name in headers) {
    at = writeText(buffer, at, name);
    at = writeText(buffer, at, headers[name]!);
  }
  return at;
}

function textBytes(text: string | Buffer): number {
  const bytes = Buffer.byteLength(text);
  return varIntBytes(bytes) + bytes;
}

function writeText(buffer: Buffer, start: number, text: string | Buffer): number {
  const at = writeVarInt(buffer, start, Buffer.byteLength(text));
  return at + (typeof text === 'string' ? buffer.write(text, at) : text.copy(buffer, at));
}

/** Zigzag encoding: small numbers of either sign become small unsigned ones. */
function zigZag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function varIntBytes(value: number): number {
  let left = zigZag(value);
  let bytes = 1;
  for (; left > 127; left >>>= 7) bytes += 1;
  return bytes;
}

function writeVarInt(buffer: Buffer, start: number, value: number): number {
  let left = zigZag(value);
  let at = start;
  for (; left > 127; left >>>= 7) buffer[at++] = (left & 127) | 128;
  buffer[at++] = left;
  return at;
}

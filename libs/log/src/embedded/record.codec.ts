import { crc32 } from 'node:zlib';
import type { LogRecord } from '../log.port';

/**
 * A record on disk, little-endian:
 *
 *     0 u32 length of all after byte 8   4 u32 crc32 of all after byte 8
 *     8 u32 marker of the file          12 u48 flush   18 u48 position   24 u48 time
 *    30 u16 partition                   32 u8 flags    33 u32 key bytes  37 u32 header bytes
 *    41 key (UTF-8), headers (JSON), value
 *
 * The marker is a random number of the file: neither what a sender puts into a value nor old contents of the disk can
 * pass for a record. `flush` counts the syncs of a topic: the records of a flush were written together, and a later
 * flush was begun only after this one had been synced.
 */
export const PREFIX_BYTES = 8;
export const HEAD_BYTES = 41;
export const FLAGS_OFFSET = 32;
/** No record is larger on disk; a greater length is damage. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export const END_OF_BATCH = 1;
export const END_OF_FLUSH = 2;

/** Where a record lies in a buffer, and its fixed fields. */
export interface Frame {
  at: number;
  end: number;
  flush: number;
  flags: number;
  partition: number;
  position: number;
  time: number;
  valueBytes: number;
}

export interface Stamp {
  marker: number;
  flush: number;
  /** Whether the flush ends with these bytes. */
  last: boolean;
}

/**
 * Fills in what is known only at the flush, in the adjacent bytes of append calls. `next` holds the next position per
 * partition and is advanced.
 */
export function stamp(bytes: Buffer, next: number[], { marker, flush, last }: Stamp): void {
  for (let at = 0; at < bytes.length;) {
    const end = at + PREFIX_BYTES + bytes.readUInt32LE(at);
    const partition = bytes.readUInt16LE(at + 30);
    bytes.writeUInt32LE(marker, at + 8);
    bytes.writeUIntLE(flush, at + 12, 6);
    bytes.writeUIntLE(next[partition]!, at + 18, 6);
    if (last && end === bytes.length) bytes[at + FLAGS_OFFSET]! |= END_OF_FLUSH;
    bytes.writeUInt32LE(crc32(bytes.subarray(at + PREFIX_BYTES, end)), at + 4);
    next[partition]! += 1;
    at = end;
  }
}

/** `short`: the bytes end before the record does. `broken`: they are not a record of this file. */
export type Undecodable = 'short' | 'broken';

/** The record at `at`. Without `verify` the checksum is not computed (bytes that never left memory). */
export function decodeFrame(bytes: Buffer, at: number, marker: number, verify = true): Frame | Undecodable {
  if (bytes.length - at < PREFIX_BYTES) return 'short';
  const length = bytes.readUInt32LE(at);
  if (length < HEAD_BYTES - PREFIX_BYTES || length > MAX_FRAME_BYTES) return 'broken';
  const end = at + PREFIX_BYTES + length;
  if (end > bytes.length) return 'short';
  if (bytes.readUInt32LE(at + 8) !== marker) return 'broken';
  if (verify && crc32(bytes.subarray(at + PREFIX_BYTES, end)) !== bytes.readUInt32LE(at + 4)) return 'broken';
  const valueBytes = end - at - HEAD_BYTES - bytes.readUInt32LE(at + 33) - bytes.readUInt32LE(at + 37);
  if (valueBytes < 0) return 'broken';
  return {
    at,
    end,
    valueBytes,
    flush: bytes.readUIntLE(at + 12, 6),
    position: bytes.readUIntLE(at + 18, 6),
    time: bytes.readUIntLE(at + 24, 6),
    partition: bytes.readUInt16LE(at + 30),
    flags: bytes.readUInt8(at + FLAGS_OFFSET),
  };
}

/** The record of a frame. Its value is a view into `bytes`. */
export function recordOf(bytes: Buffer, frame: Frame, topic: string): LogRecord {
  const keyAt = frame.at + HEAD_BYTES;
  const headersAt = keyAt + bytes.readUInt32LE(frame.at + 33);
  const valueAt = frame.end - frame.valueBytes;
  return {
    topic,
    key: bytes.toString('utf8', keyAt, headersAt),
    headers: JSON.parse(bytes.toString('utf8', headersAt, valueAt)) as Record<string, string>,
    value: bytes.subarray(valueAt, frame.end),
    partition: frame.partition,
    position: frame.position,
    appendedAt: frame.time,
  };
}

/** Searches from `from` on for a whole record of a flush later than `flush`. Returns its offset, or -1. */
export function findLaterFlush(bytes: Buffer, from: number, marker: number, flush: number): number {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(marker);
  for (let hit = bytes.indexOf(mark, from + PREFIX_BYTES); hit >= 0; hit = bytes.indexOf(mark, hit + 1)) {
    const frame = decodeFrame(bytes, hit - PREFIX_BYTES, marker);
    if (typeof frame === 'object' && frame.flush > flush) return frame.at;
  }
  return -1;
}

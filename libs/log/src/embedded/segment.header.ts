import { crc32 } from 'node:zlib';

/** The first record of a file. It makes an index unnecessary, as it holds the next position of every partition at the file's start. */
export interface SegmentHeader {
  format: 1;
  topic: string;
  /** Counts the segments of a topic from 1. */
  number: number;
  /** First position of each partition in this file. */
  base: number[];
  /** Number of the last flush before this file. */
  flush: number;
  /** See record.codec: every record of the file carries it. */
  marker: number;
  /** Milliseconds since the epoch: no record of an earlier segment is younger. */
  created: number;
  /** Size in bytes of the previous segment, 0 when there is none. */
  previous: number;
}

/** No header is larger. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** `u32 length, u32 crc32, JSON`. */
export function encodeHeader(header: SegmentHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(json.length, 0);
  prefix.writeUInt32LE(crc32(json), 4);
  return Buffer.concat([prefix, json]);
}

/** The header at the start of a file's bytes and where the records begin; undefined when it is incomplete or damaged. */
export function decodeHeader(bytes: Buffer): { header: SegmentHeader; end: number } | undefined {
  if (bytes.length < 8) return undefined;
  const end = 8 + bytes.readUInt32LE(0);
  if (end > MAX_HEADER_BYTES || end > bytes.length) return undefined;
  const json = bytes.subarray(8, end);
  if (crc32(json) !== bytes.readUInt32LE(4)) return undefined;
  const header = JSON.parse(json.toString('utf8')) as SegmentHeader;
  return header.format === 1 ? { header, end } : undefined;
}

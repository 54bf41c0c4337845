import type { LogLines } from '../log.lines';
import { faultRoot } from './kafka.client';

/** The setting of a topic that says how brokers keep batches, whatever the producer sent. */
export const COMPRESSION = 'compression.type';
/** Brokers decompress the batches of others as they arrive, and keep ours as they come; `gzip` costs them CPU for each of ours. */
export const UNCOMPRESSED = 'uncompressed';
/** An operator may prefer it, to save disk: kafkajs reads it. */
const GZIP = 'gzip';
/** kafkajs has no codec for these. */
const UNREADABLE = ['lz4', 'snappy', 'zstd'];
export const COMPRESSION_CODE = 'compression_unsupported';
export const COMPRESSION_TEXT =
  'records on a topic are compressed with lz4, snappy or zstd, and cannot be read: docs/operating.md, «Topics», says what to do';

/** The compression that a topic should have, if it has this one. */
export function wantedCompression(is: string | undefined): string {
  return is === GZIP ? GZIP : UNCOMPRESSED;
}

/** To be called with the compression found at the start, even if it was changed just now: what is on the topic stays as it is. */
export function reportUnreadable(topic: string, is: string | undefined, lines: LogLines): void {
  if (is === undefined || !UNREADABLE.includes(is)) return;
  lines.error({ topic, setting: COMPRESSION, is, code: COMPRESSION_CODE }, COMPRESSION_TEXT);
}

/** Whether this is kafkajs' error about a batch that it has no codec for. */
export function isUnreadable(error: unknown): boolean {
  return faultRoot(error).name === 'KafkaJSNotImplemented';
}

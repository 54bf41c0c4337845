import { LogFault } from '../log.faults';
import { SILENT, type LogLines } from '../log.lines';
import type { Retention } from '../log.retention';
import { openFile, type OpenFile } from './durable.file';
import { freeSpace, type FreeSpace } from './free.space';

const MIB = 1024 * 1024;

export interface EmbeddedLogOptions {
  directory: string;
  retention: Retention;
  /** Called once, when the log of this process is lost: end the process with an exit code other than 0. */
  onFatal(error: Error): void;
  logger?: LogLines;
  /** Partitions of a topic made from now on. Default 8. */
  partitions?: number;
  /** Key and value of one record; headers may have 64 KiB beside it. Default 2.75 MiB (a mail at every limit at once), 8 MiB at most. */
  maxRecordBytes?: number;
  /** A segment that has reached this size is followed by a new one. Default 64 MiB. */
  segmentBytes?: number;
  /** How much of what was last written stays in memory for consumers, over all topics. Default 8 MiB. */
  memoryBytes?: number;
  /** How long a consumer lets a steady stream of small batches gather, in milliseconds; 0 to hand out each at once. Default 6. */
  gatherMs?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
  openFile?: OpenFile;
  freeSpace?: FreeSpace;
}

/** The options with every default filled in. */
export type EmbeddedSettings = Required<EmbeddedLogOptions>;

const DEFAULTS = {
  logger: SILENT,
  partitions: 8,
  maxRecordBytes: 2816 * 1024,
  segmentBytes: 64 * MIB,
  memoryBytes: 8 * MIB,
  gatherMs: 6,
  now: Date.now,
  openFile,
  freeSpace,
};

/** Throws `LogFault` (`log_option_refused`). */
export function settingsOf(options: EmbeddedLogOptions): EmbeddedSettings {
  const settings = { ...DEFAULTS, ...options };
  const { partitions, maxRecordBytes } = settings;
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > 1024) {
    throw new LogFault('log_option_refused', 'partitions must be 1 to 1024');
  }
  if (!(maxRecordBytes > 0 && maxRecordBytes <= 8 * MIB)) {
    throw new LogFault('log_option_refused', 'maxRecordBytes must be 1 byte to 8 MiB');
  }
  return settings;
}

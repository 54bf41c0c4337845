import { LogFault } from '../log.faults';
import { SILENT_LOGGER, type LogLines } from '../log.lines';
import type { Retention } from '../log.retention';
import { openFile, type OpenFile } from './durable.file';
import { freeSpace, type FreeSpace } from './free.space';

const MIB = 1024 * 1024;

export interface EmbeddedLogOptions {
  directory: string;
  retention: Retention;
  /** Called once, when the log is lost for this process: end the process with an exit code other than 0. */
  onFatal(error: Error): void;
  logger?: LogLines;
  /** Partitions of topics created from now on. Default 8. */
  partitions?: number;
  /**
   * Bytes of key and value of one record; headers may take 64 KiB more. Default 2.75 MiB (a mail at every limit at
   * once), at most 8 MiB.
   */
  maxRecordBytes?: number;
  /** Bytes; a segment that has reached this size is followed by a new one. Default 64 MiB. */
  segmentBytes?: number;
  /** Bytes of the latest records that stay in memory for consumers, over all topics. Default 8 MiB. */
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
  logger: SILENT_LOGGER,
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

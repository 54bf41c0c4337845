import { DAY_MS } from '@lettermill/concurrency';
import { LogFault } from '../log.faults';
import type { Retention } from '../log.retention';
import { SILENT_LOGGER, type LogLines } from '../log.lines';
import { COMPRESSION, UNCOMPRESSED } from './compression';

const KIB = 1024;
const MIB = KIB * KIB;
/** How long every record of a compacted topic is kept before only the last of its key may remain. */
const COMPACTION_LAG_MS = 7 * DAY_MS;
/** Bytes that the headers of one record, dead-letter headers included, and the batch header may take besides key and value. */
const HEADER_RESERVE_BYTES = 128 * KIB;

export interface KafkaSasl {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

export interface KafkaLogOptions {
  /** `host:port` of brokers to ask first. */
  brokers: string[];
  /** Name of the application, as the brokers see it. */
  clientId: string;
  /** Name of this process among its replicas. */
  instance: string;
  /**
   * Name of the place where this process runs, and the beginning of `instance`; no other process runs there at the same
   * time. Members that an earlier process there left in the groups are removed when this one joins them. Default:
   * unknown, their sessions end by themselves.
   */
  place?: string;
  retention: Retention;
  logger?: LogLines;
  /** Topics that are created if they do not exist. Default none. */
  topics?: string[];
  /** Existing topics are not changed, whatever the options say; for tools that use the log of others. Default false. */
  topicsAsTheyAre?: boolean;
  /** Partitions of topics that are created. Default 8. */
  partitions?: number;
  /** Replicas of topics that are created; -1 stands for the brokers' default. Default -1. */
  replication?: number;
  /** Put before the names of topics and groups on the brokers. */
  topicPrefix?: string;
  /** Bytes of key and value of one record; headers may take 64 KiB more. Default 2.75 MiB: a mail at every limit at once. */
  maxRecordBytes?: number;
  /** Appends are refused while more than this many bytes wait for the brokers. Default 64 MiB. */
  maxWaitingBytes?: number;
  /** How long `open` tries to reach the brokers. Default 60 s. */
  openTimeoutMs?: number;
  /** A group member that shows no sign of life for this long is replaced: its session is over by then anyway. Default 20 s. */
  stuckAfterMs?: number;
  /** After this long without a heartbeat the brokers give a member's partitions to others. Default 15 s. */
  sessionTimeoutMs?: number;
  tls?: boolean;
  sasl?: KafkaSasl;
}

/** The options with every default filled in. */
export type KafkaSettings = Required<Omit<KafkaLogOptions, 'sasl' | 'place'>> & Pick<KafkaLogOptions, 'sasl' | 'place'>;

const DEFAULTS = {
  logger: SILENT_LOGGER,
  topics: [],
  topicsAsTheyAre: false,
  partitions: 8,
  replication: -1,
  topicPrefix: '',
  maxRecordBytes: 2816 * KIB,
  maxWaitingBytes: 64 * MIB,
  openTimeoutMs: 60_000,
  stuckAfterMs: 20_000,
  sessionTimeoutMs: 15_000,
  tls: false,
};

/** Throws `LogFault` (`log_option_refused`). */
export function settingsOf(options: KafkaLogOptions): KafkaSettings {
  const settings = { ...DEFAULTS, ...options };
  const { brokers, partitions, maxRecordBytes, replication } = settings;
  const refuse = (why: string) => {
    throw new LogFault('log_option_refused', why);
  };
  if (brokers.length === 0) refuse('brokers are needed');
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > 1024) refuse('partitions must be 1 to 1024');
  if (!Number.isInteger(replication) || replication === 0 || replication < -1) refuse('replication must be 1 or more');
  if (!(maxRecordBytes > 0 && maxRecordBytes <= 8 * MIB)) refuse('maxRecordBytes must be 1 byte to 8 MiB');
  return settings;
}

/** Bytes of the largest batch that the brokers must take: room for the largest record, and at least 3 MiB. */
export function maxBatchBytes({ maxRecordBytes }: Pick<KafkaSettings, 'maxRecordBytes'>): number {
  return Math.max(maxRecordBytes + HEADER_RESERVE_BYTES, 3 * MIB);
}

/** The configuration of a topic (docs/operating.md, what is kept), by Kafka's names. */
export function topicConfig(topic: string, settings: KafkaSettings): Record<string, string> {
  const { retention, replication } = settings;
  const cleanup: Record<string, string> = retention.keepWhole.includes(topic)
    ? { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': String(COMPACTION_LAG_MS) }
    : {
        'cleanup.policy': 'delete',
        'retention.ms': retention.days === 0 ? '-1' : String(retention.days * DAY_MS),
        'retention.bytes': '-1',
      };
  const inSync: Record<string, string> = replication >= 3 ? { 'min.insync.replicas': '2' } : {};
  const batches = { [COMPRESSION]: UNCOMPRESSED, 'max.message.bytes': String(maxBatchBytes(settings)) };
  return { ...cleanup, ...inSync, ...batches };
}

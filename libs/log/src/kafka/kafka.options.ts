import { LogFault } from '../log.faults';
import type { Retention } from '../log.retention';
import { SILENT, type LogLines } from '../log.lines';

const KIB = 1024;
const MIB = KIB * KIB;
const DAY_MS = 86_400_000;
/** How long every record of a compacted topic is kept before only the last of its key may remain. */
const COMPACTION_LAG_MS = 7 * DAY_MS;
/** What the headers of one record may take beside key and value, dead-letter headers included; and the batch's own. */
const HEADER_ROOM = 128 * KIB;

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
   * Name of where this process runs, with which `instance` begins; no other process runs there at the same time. What one
   * before it has left in the groups is taken out when this one joins them. Default: unknown, sessions end by themselves.
   */
  place?: string;
  retention: Retention;
  logger?: LogLines;
  /** Topics that must be there, made when they are not. Default none. */
  topics?: string[];
  /** For a guest: topics that are there are not changed, whatever the options say. Default false. */
  topicsAsTheyAre?: boolean;
  /** Of topics that are made. Default 8. */
  partitions?: number;
  /** Copies of topics that are made, -1 = as the brokers' default says. Default -1. */
  replication?: number;
  /** Put before the names of topics and groups on the brokers. */
  topicPrefix?: string;
  /** Key and value of one record; headers may have 64 KiB beside it. Default 2.75 MiB: a mail at every limit at once. */
  maxRecordBytes?: number;
  /** Appends are refused while more than this waits for the brokers. Default 64 MiB. */
  maxWaitingBytes?: number;
  /** How long `open` tries to reach the brokers. Default 60 s. */
  openTimeoutMs?: number;
  /** A group's member that shows no sign of life for so long is made anew: by then its session is over anyway. Default 20 s. */
  stuckAfterMs?: number;
  /** After so long without a heartbeat the brokers give a member's partitions to others. Default 15 s. */
  sessionTimeoutMs?: number;
  tls?: boolean;
  sasl?: KafkaSasl;
}

/** The options with every default filled in. */
export type KafkaSettings = Required<Omit<KafkaLogOptions, 'sasl' | 'place'>> & Pick<KafkaLogOptions, 'sasl' | 'place'>;

const DEFAULTS = {
  logger: SILENT,
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

/** Bytes of the largest batch that the brokers must take: a largest record, or two of usual size limits. */
export function maxBatchBytes({ maxRecordBytes }: Pick<KafkaSettings, 'maxRecordBytes'>): number {
  return Math.max(maxRecordBytes + HEADER_ROOM, 3 * MIB);
}

/** What a topic is configured with (docs/operating.md, what is kept), by Kafka's names. */
export function topicConfig(topic: string, settings: KafkaSettings): Record<string, string> {
  const { retention, replication } = settings;
  const kept: Record<string, string> = retention.keepWhole.includes(topic)
    ? { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': String(COMPACTION_LAG_MS) }
    : {
        'cleanup.policy': 'delete',
        'retention.ms': retention.days === 0 ? '-1' : String(retention.days * DAY_MS),
        'retention.bytes': '-1',
      };
  const copies: Record<string, string> = replication >= 3 ? { 'min.insync.replicas': '2' } : {};
  return { ...kept, ...copies, 'max.message.bytes': String(maxBatchBytes(settings)) };
}

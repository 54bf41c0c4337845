import type { RateLimit } from './config.fields';
import type { Misspelt } from './misspelt';
import type { NextHop } from './smtp.url';

export const SERVICES = ['gateway', 'contacts', 'renderer', 'dispatch', 'tracker'] as const;
export type ServiceName = (typeof SERVICES)[number];
/** The services that own data, which the gateway forwards calls about it to. */
export const OWNERS = SERVICES.filter((service) => service !== 'gateway');
export type Owner = (typeof OWNERS)[number];
export type ProfileName = 'embedded' | 'cluster';
/** What a process is: one service, all of them in one, a tool that runs beside them, or the command line. */
export type Role = ServiceName | 'standalone' | 'mailbox' | 'init' | 'welcome' | 'cli' | 'hop';

export const DEFAULT_PORTS: Record<ServiceName | 'mailbox', number> = {
  gateway: 3000,
  contacts: 3001,
  renderer: 3002,
  dispatch: 3003,
  tracker: 3004,
  mailbox: 3005,
};

/** The configuration of a process (docs/operating.md), read once from its environment. */
export interface Config {
  profile: ProfileName;
  host: string;
  port: number;
  owners: Record<Owner, string>;
  internalSecret: string | null;
  /** Encrypts the private DKIM keys; null: `internalSecret` does. */
  dkimKeySecret: string | null;
  /** The previous `dkimKeySecret`: only decrypts keys that were stored under it. */
  formerDkimKeySecret: string | null;
  /** Name servers that DKIM records are looked up at; null: those of the machine. */
  dnsServers: string[] | null;
  dataDir: string;
  kafkaBrokers: string[] | null;
  mongodbUri: string | null;
  /** How topics are created, and how to connect to the brokers. */
  kafka: KafkaConfig;
  nextHop: NextHop | null;
  /** Domain of the envelope senders, to which bounces come; null: the envelope senders are those of the campaigns. */
  returnPath: string | null;
  /** Public address of the gateway; links in mails begin with it. */
  publicUrl: string | null;
  bootstrapApiKey: string | null;
  /** Keys that a gateway removes from the store when it starts. */
  revokedApiKeys: string[];
  /** The previous `internalSecret`: links and return paths in mails sent under it stay valid, and nothing else. */
  formerInternalSecret: string | null;
  rateLimit: RateLimit | null;
  /** Seconds before the 2nd, 3rd, … attempt. */
  retryDelays: number[];
  sending: SendingConfig;
  maxBodyBytes: number;
  attachmentFetchAllow: string[];
  /** Days; 0 keeps everything forever. */
  retentionDays: number;
  logLevel: string;
  /** Seconds for which a process that was told to end still serves requests, not ready, until load balancers send it no more. */
  drainSeconds: number;
  /** Where `init` makes the secrets that are missing; null: nowhere. */
  secretsDir: string | null;
  mailbox: MailboxConfig;
  caller: CallerConfig;
  /** Variables of the environment that are unknown but resemble a known one; each causes a warning. */
  misspelt: Misspelt[];
}

/** The built-in mailbox. */
export interface MailboxConfig {
  /** 0: any free port. */
  smtpPort: number;
  /** Whether everybody who reaches the port can open its page without a key; otherwise only this machine can. */
  open: boolean;
}

/** For programs that call the gateway as a user does: the first run and the command line. */
export interface CallerConfig {
  gatewayUrl: string;
  /** Null: `bootstrapApiKey`, or the one in `dataDir`. */
  apiKey: string | null;
  /** Address at which a person opens the page of the mailbox. */
  mailboxUrl: string | null;
}

/** How much of the next hop one dispatch process uses. */
export interface SendingConfig {
  /** Name in EHLO to the next hop; null: the name of the machine, or the local address of the connection. */
  ehloName: string | null;
  connections: number;
  /** Attempts per second; null: unlimited; 0: none, all mail waits. */
  hopRate: number | null;
  /** Attempts per second by recipient domain; `*` for all others. */
  domainRates: ReadonlyMap<string, number>;
  /** Concurrent attempts by recipient domain. */
  domainConcurrency: ReadonlyMap<string, number>;
}

export interface KafkaConfig {
  partitions: number;
  /** -1: the brokers' own default. */
  replication: number;
  /** Begins the names of topics and groups when several systems share the brokers. */
  topicPrefix: string;
  tls: boolean;
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
}

/** All faults of the environment, by variable. */
export class ConfigFault extends Error {
  constructor(readonly faults: { variable: string; problem: string }[]) {
    super(`The configuration can't be used:\n${faults.map((f) => `  ${f.variable} ${f.problem}`).join('\n')}`);
  }
}

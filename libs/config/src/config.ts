import { constants } from 'node:buffer';
import {
  apiKey,
  apiKeys,
  minLength,
  brokers,
  byDomain,
  cidrs,
  dnsServers,
  domain,
  gatewayUrl,
  httpUrl,
  integer,
  mongodbUrl,
  nextHop,
  oneOf,
  perSecond,
  perSecondOrNone,
  rateLimit,
  retryDelays,
  text,
  topicPrefix,
  type RateLimit,
} from './config.fields';
import { variableReader, type Complain, type ReadVariable } from './config.reader';
import { misspeltIn, type Misspelt } from './misspelt';
import { SECRET_VARIABLES, withSecretFiles } from './secret.files';
import type { NextHop } from './smtp.url';

export const SERVICES = ['gateway', 'contacts', 'renderer', 'dispatch', 'tracker'] as const;
export type ServiceName = (typeof SERVICES)[number];
export type Owner = Exclude<ServiceName, 'gateway'>;
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

/** A JSON body becomes one text before it is parsed. */
const MAX_READABLE_BYTES = constants.MAX_STRING_LENGTH;
const DEFAULT_RETRY_DELAYS = '60,300,900,1800,3600,7200,14400,28800,43200,72000';

/** Reads the environment of one process. Throws `ConfigFault` with all faults of it. */
export function readConfig(given: NodeJS.ProcessEnv, service: Role): Config {
  const faults: ConfigFault['faults'] = [];
  const complain = faultCollector(faults);
  const environment = withSecretFiles(given, complain);
  const { read, known } = variableReader(environment, complain);

  const kafkaBrokers = read('KAFKA_BROKERS', brokers);
  const mongodbUri = read('MONGODB_URI', mongodbUrl);
  const profile = profileOf(environment);
  const port = read('PORT', integer(0, 65535), defaultPort(service));
  const ownerUrl = (owner: Owner) =>
    read(`${owner.toUpperCase()}_URL`, httpUrl, `http://${owner}:${DEFAULT_PORTS[owner]}`);

  const config: Config = {
    profile,
    port,
    host: read('HOST', text, profile === 'embedded' ? '127.0.0.1' : '0.0.0.0'),
    owners: {
      contacts: ownerUrl('contacts'),
      renderer: ownerUrl('renderer'),
      dispatch: ownerUrl('dispatch'),
      tracker: ownerUrl('tracker'),
    },
    internalSecret: read('INTERNAL_SECRET', minLength(32)),
    dkimKeySecret: read('DKIM_KEY_SECRET', minLength(32)),
    formerDkimKeySecret: read('FORMER_DKIM_KEY_SECRET', minLength(32)),
    dnsServers: read('DNS_SERVERS', dnsServers),
    dataDir: read('DATA_DIR', text, './data'),
    kafkaBrokers,
    mongodbUri,
    kafka: kafkaConfig(read, complain),
    nextHop: read('SMTP_URL', nextHop),
    returnPath: read('RETURN_PATH', domain),
    publicUrl: read('PUBLIC_URL', httpUrl),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', apiKey),
    formerInternalSecret: read('FORMER_INTERNAL_SECRET', minLength(32)),
    revokedApiKeys: read('REVOKED_API_KEYS', apiKeys) ?? [],
    rateLimit: read('RATE_LIMIT', rateLimit, '6000/60'),
    retryDelays: read('RETRY_DELAYS', retryDelays, DEFAULT_RETRY_DELAYS),
    sending: sendingConfig(read),
    maxBodyBytes: read('MAX_BODY_BYTES', integer(1024, MAX_READABLE_BYTES), '33554432'),
    attachmentFetchAllow: read('ATTACHMENT_FETCH_ALLOW', cidrs, ','),
    retentionDays: read('RETENTION_DAYS', integer(0, 36500), '30'),
    logLevel: read('LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info'),
    drainSeconds: read('DRAIN_SECONDS', integer(0, 60), '0'),
    mailbox: mailboxConfig(read, service),
    caller: callerConfig(read, service, port),
    misspelt: [],
  };
  config.misspelt = misspeltIn(given, known, SECRET_VARIABLES);

  checkCombinations(config, service, complain);
  if (faults.length > 0) throw new ConfigFault(faults);
  return Object.freeze(config);
}

function defaultPort(service: Role): string {
  return String(DEFAULT_PORTS[service in DEFAULT_PORTS ? (service as ServiceName) : 'gateway']);
}

/** An invalid value selects the cluster profile, too, so that what else is missing for that is reported with it. */
function profileOf({ KAFKA_BROKERS, MONGODB_URI }: NodeJS.ProcessEnv): ProfileName {
  return KAFKA_BROKERS?.trim() || MONGODB_URI?.trim() ? 'cluster' : 'embedded';
}

/** Reports one fault per variable: an invalid one is not reported as missing as well. */
function faultCollector(faults: ConfigFault['faults']): Complain {
  return (variable, problem) => {
    if (!faults.some((fault) => fault.variable === variable)) faults.push({ variable, problem });
  };
}

function sendingConfig(read: ReadVariable): SendingConfig {
  return {
    ehloName: read('EHLO_NAME', domain),
    connections: read('HOP_CONNECTIONS', integer(1, 1000), '10'),
    hopRate: read('HOP_RATE', perSecondOrNone),
    domainRates: read('DOMAIN_RATES', byDomain(perSecond), ','),
    domainConcurrency: read('DOMAIN_CONCURRENCY', byDomain(integer(1, 1000)), ','),
  };
}

function mailboxConfig(read: ReadVariable, service: Role): MailboxConfig {
  return {
    smtpPort: read('MAILBOX_SMTP_PORT', integer(0, 65535), service === 'mailbox' ? '1025' : '0'),
    open: read('MAILBOX_OPEN', oneOf('true', 'false'), 'false') === 'true',
  };
}

function callerConfig(read: ReadVariable, service: Role, port: number): CallerConfig {
  // A PORT that cannot be used is the only fault.
  const nearby = `http://127.0.0.1:${port || DEFAULT_PORTS.gateway}`;
  return {
    gatewayUrl: read('GATEWAY_URL', gatewayUrl, service === 'cli' ? nearby : 'http://gateway:3000'),
    apiKey: read('LETTERMILL_API_KEY', apiKey),
    mailboxUrl: read('MAILBOX_PUBLIC_URL', httpUrl),
  };
}

function kafkaConfig(read: ReadVariable, complain: Complain): KafkaConfig {
  const mechanism = read('KAFKA_SASL_MECHANISM', oneOf('plain', 'scram-sha-256', 'scram-sha-512'));
  const username = read('KAFKA_SASL_USERNAME', text);
  const password = read('KAFKA_SASL_PASSWORD', text);
  if (mechanism && !(username && password))
    complain('KAFKA_SASL_USERNAME', 'and KAFKA_SASL_PASSWORD are needed with KAFKA_SASL_MECHANISM');
  // Without a mechanism the client would not log in at all, despite name and password.
  if (!mechanism && (username || password))
    complain('KAFKA_SASL_MECHANISM', 'is needed with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
  return {
    partitions: read('KAFKA_PARTITIONS', integer(1, 1024), '8'),
    replication: read('KAFKA_REPLICATION', integer(0, 32767), '0') || -1,
    topicPrefix: read('KAFKA_TOPIC_PREFIX', topicPrefix) ?? '',
    tls: read('KAFKA_TLS', oneOf('true', 'false'), 'false') === 'true',
    ...(mechanism && username && password && { sasl: { mechanism, username, password } }),
  };
}

/** Rules that involve several variables. */
function checkCombinations(config: Config, service: Role, complain: Complain): void {
  if (config.revokedApiKeys.includes(config.bootstrapApiKey ?? ''))
    complain('BOOTSTRAP_API_KEY', 'is one of REVOKED_API_KEYS');
  if (service === 'welcome' && !config.bootstrapApiKey)
    complain('BOOTSTRAP_API_KEY', 'is needed: the sample campaign belongs to its account');
  if (service === 'hop' && !config.nextHop) complain('SMTP_URL', 'is needed: it names the next hop');
  // The command line needs only the log; the others need neither log nor stores.
  if (['cli', 'mailbox', 'welcome', 'hop'].includes(service)) return;
  if (config.profile === 'embedded') {
    if (service === 'standalone') return;
    return complain(
      'KAFKA_BROKERS',
      `and MONGODB_URI are needed to run ${service} by itself; npm start runs all in one`,
    );
  }
  if (!config.mongodbUri) complain('MONGODB_URI', 'is needed with KAFKA_BROKERS');
  if (!config.kafkaBrokers) complain('KAFKA_BROKERS', 'is needed with MONGODB_URI');
  if (service === 'standalone') {
    return complain('KAFKA_BROKERS', 'and MONGODB_URI select the cluster profile, which runs one process per service');
  }
  if (service !== 'init' && !config.internalSecret) complain('INTERNAL_SECRET', 'is required in the cluster profile');
  if (service === 'dispatch' && !config.nextHop) complain('SMTP_URL', 'is required in the cluster profile');
}

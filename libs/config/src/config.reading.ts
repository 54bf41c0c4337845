import { constants } from 'node:buffer';
import {
  ConfigFault,
  DEFAULT_PORTS,
  OWNERS,
  type CallerConfig,
  type Config,
  type KafkaConfig,
  type MailboxConfig,
  type Owner,
  type ProfileName,
  type Role,
  type SendingConfig,
  type ServiceName,
} from './config';
import { checkCombinations } from './config.combinations';
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
  nextHop,
  oneOf,
  perSecond,
  perSecondOrNone,
  rateLimit,
  retryDelays,
  text,
  topicPrefix,
} from './config.fields';
import { listeningUrl, reachableUrl } from './listening.url';
import { mongodbUrl } from './mongodb.url';
import { variableReader, type Complain, type ReadVariable } from './variable.reader';
import { misspeltIn } from './misspelt';
import { SECRET_VARIABLES, withSecretFiles } from './secret.files';

/** Room for the sample campaign, without which the first start of the embedded profile fails. */
const LEAST_MAX_BODY_BYTES = 2048;
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

  const host = read('HOST', text, profile === 'embedded' ? '127.0.0.1' : '0.0.0.0');

  const config: Config = {
    profile,
    port,
    host,
    owners: Object.fromEntries(OWNERS.map((owner) => [owner, ownerUrl(owner)])) as Record<Owner, string>,
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
    publicUrl: read('PUBLIC_URL', gatewayUrl),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', apiKey),
    formerInternalSecret: read('FORMER_INTERNAL_SECRET', minLength(32)),
    revokedApiKeys: read('REVOKED_API_KEYS', apiKeys) ?? [],
    rateLimit: read('RATE_LIMIT', rateLimit, '6000/60'),
    retryDelays: read('RETRY_DELAYS', retryDelays, DEFAULT_RETRY_DELAYS),
    sending: sendingConfig(read),
    maxBodyBytes: read('MAX_BODY_BYTES', integer(LEAST_MAX_BODY_BYTES, MAX_READABLE_BYTES), '33554432'),
    attachmentFetchAllow: read('ATTACHMENT_FETCH_ALLOW', cidrs, ','),
    retentionDays: read('RETENTION_DAYS', integer(0, 36500), '30'),
    logLevel: read('LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info'),
    drainSeconds: read('DRAIN_SECONDS', integer(0, 60), '0'),
    secretsDir: read('SECRETS_DIR', text),
    mailbox: mailboxConfig(read, service),
    caller: callerConfig(read, service, host, port),
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

function callerConfig(read: ReadVariable, service: Role, host: string, port: number): CallerConfig {
  // A PORT that cannot be used is the only fault.
  const nearby = reachableUrl(listeningUrl(host, port || DEFAULT_PORTS.gateway));
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

import { constants } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigFault, type Role } from './config';
import { readConfig } from './config.reading';
import { SECRET_VARIABLES } from './secret.files';

const faultsOf = (environment: Record<string, string>, service: Role = 'standalone') => {
  try {
    readConfig(environment, service);
    return [];
  } catch (error) {
    return (error as ConfigFault).faults.map(({ variable }) => variable);
  }
};
const CLUSTER = {
  KAFKA_BROKERS: 'k:9092',
  MONGODB_URI: 'mongodb://m',
  INTERNAL_SECRET: 's'.repeat(32),
  SMTP_URL: 'smtp://hop',
};

describe('configuration', () => {
  it('has the defaults of the embedded profile', () => {
    const config = readConfig({}, 'standalone');
    expect(config).toMatchObject({
      profile: 'embedded',
      host: '127.0.0.1',
      port: 3000,
      nextHop: null,
      rateLimit: { requests: 6000, seconds: 60 },
      maxBodyBytes: 33554432,
      retentionDays: 30,
      attachmentFetchAllow: [],
    });
    const twoDays = config.retryDelays.reduce((sum, seconds) => sum + seconds) / 3600;
    expect(config.retryDelays[0]).toBe(60);
    expect(twoDays).toBeGreaterThan(46);
    expect(twoDays).toBeLessThan(50);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '3000x'],
    ['RATE_LIMIT', '10'],
    ['RATE_LIMIT', '0/60'],
    ['RATE_LIMIT', '5/99999999999999999999999'],
    ['RATE_LIMIT', '9999999999999999/60'],
    ['RETRY_DELAYS', '60,,x'],
    ['RETRY_DELAYS', '60,2592001'],
    ['MAX_BODY_BYTES', '12.5'],
    ['MAX_BODY_BYTES', '2047'],
    // A longer body could not be read as text.
    ['MAX_BODY_BYTES', String(constants.MAX_STRING_LENGTH + 1)],
    ['RETENTION_DAYS', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['LETTERMILL_API_KEY', 'x'.repeat(19)],
    ['BOOTSTRAP_API_KEY', 'x'.repeat(19)],
    ['BOOTSTRAP_API_KEY', 'two words of a long key'],
    ['BOOTSTRAP_API_KEY', 'schlüssel'.repeat(3)],
    ['BOOTSTRAP_API_KEY', 'x'.repeat(513)],
    ['REVOKED_API_KEYS', `${'k'.repeat(20)} 0123456789abcdef01`],
    ['INTERNAL_SECRET', 'x'.repeat(31)],
    ['FORMER_INTERNAL_SECRET', 'x'.repeat(31)],
    ['TRACKER_URL', 'tracker:3004'],
    ['TRACKER_URL', 'http:tracker'],
    ['GATEWAY_URL', '127.0.0.1:3000'],
    ['GATEWAY_URL', 'http://127.0.0.1:3000/v2/'],
    ['MAILBOX_PUBLIC_URL', 'localhost:3005'],
    ['PUBLIC_URL', 'https://example.com/v2'],
    ['PUBLIC_URL', 'https://user:secret@example.com'],
    ['PUBLIC_URL', 'https://example.com/?shop=1'],
    ['PUBLIC_URL', 'https://example.com/#shop'],
    ['KAFKA_TOPIC_PREFIX', 'mails/'],
    ['KAFKA_TOPIC_PREFIX', 'x'.repeat(201)],
    ['KAFKA_SASL_MECHANISM', 'PLAIN'],
    ['SMTP_URL', 'http://hop'],
    ['SMTP_URL', 'smtp://user:100%@hop'],
    ['EHLO_NAME', 'localhost'],
    ['EHLO_NAME', '[192.0.2.1]'],
    ['HOP_CONNECTIONS', '0'],
    ['HOP_RATE', '-1'],
    ['DOMAIN_RATES', 'example.com'],
    ['DOMAIN_RATES', 'example.com=x'],
    ['DOMAIN_RATES', '*.example.com=5'],
    ['DOMAIN_RATES', 'example.com=5,Example.com=6'],
    ['DOMAIN_CONCURRENCY', 'ada@example.com=3'],
    ['DKIM_KEY_SECRET', 'x'.repeat(31)],
    ['FORMER_DKIM_KEY_SECRET', 'x'.repeat(31)],
    ['DNS_SERVERS', 'ns.example.com'],
    ['DNS_SERVERS', '127.0.0.1:65536'],
    ['DNS_SERVERS', '127.0.0.1:0'],
    ['DNS_SERVERS', '[127.0.0.1]:53'],
    ['DNS_SERVERS', ','],
  ])('refuses %s=%s', (variable, value) => {
    expect(faultsOf({ [variable]: value })).toEqual([variable]);
  });

  it.each([
    ['HOP_RATE', '0.0001', /HOP_RATE must be a number per second from 0\.001 to 999999, or 0 for none, is «0\.0001»$/],
    [
      'DOMAIN_RATES',
      'a.example=0',
      /DOMAIN_RATES of a\.example must be a number per second from 0\.001 to 999999, is «0»$/,
    ],
  ])('says which rates %s may have', (variable, value, words) => {
    expect(() => readConfig({ [variable]: value }, 'standalone')).toThrow(words);
  });

  it('reads name servers with and without ports', () => {
    const variables = { DNS_SERVERS: '127.0.0.1, 127.0.0.1:5353,[::1]:53,::1' };
    expect(readConfig(variables, 'standalone').dnsServers).toEqual(['127.0.0.1', '127.0.0.1:5353', '[::1]:53', '::1']);
  });

  it('reads brokers and the prefix of topic names', () => {
    const variables = {
      ...CLUSTER,
      KAFKA_BROKERS: 'kafka-1:9092, kafka-2.example.com:9093,',
      KAFKA_TOPIC_PREFIX: 'a.b-',
    };
    expect(readConfig(variables, 'gateway')).toMatchObject({
      kafkaBrokers: ['kafka-1:9092', 'kafka-2.example.com:9093'],
      kafka: { topicPrefix: 'a.b-' },
    });
    expect(readConfig(CLUSTER, 'gateway').kafka.topicPrefix).toBe('');
  });

  it('reads mechanism, name and password for the brokers, and refuses one without the others', () => {
    const all = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'ada', KAFKA_SASL_PASSWORD: 'secret' };
    const sasl = { mechanism: 'plain', username: 'ada', password: 'secret' };
    expect(readConfig({ ...CLUSTER, ...all }, 'gateway').kafka).toMatchObject({ sasl });
    for (const other of ['', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']) {
      const given = { ...CLUSTER, ...all, KAFKA_SASL_MECHANISM: '', [other]: '' };
      expect(faultsOf(given, 'gateway')).toEqual(['KAFKA_SASL_MECHANISM']);
    }
    expect(faultsOf({ ...CLUSTER, ...all, KAFKA_SASL_PASSWORD: '' }, 'gateway')).toEqual(['KAFKA_SASL_USERNAME']);
  });

  it.each([
    ['https://mail.example.com/', 'https://mail.example.com'],
    ['https://mail.example.com/shop/', 'https://mail.example.com/shop'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://mail.example.com/a b<c>', 'https://mail.example.com/a%20b%3Cc%3E'],
  ])('reads the address %s in the form that links need', (PUBLIC_URL, publicUrl) => {
    expect(readConfig({ PUBLIC_URL }, 'standalone').publicUrl).toBe(publicUrl);
  });

  it('reads rates and limits by domain, in any case', () => {
    const variables = {
      EHLO_NAME: 'Mail.example.com',
      HOP_RATE: '12.5',
      DOMAIN_RATES: 'Example.com=5, *=0.5',
      DOMAIN_CONCURRENCY: '*=3',
    };
    expect(readConfig(variables, 'standalone').sending).toEqual({
      ehloName: 'mail.example.com',
      connections: 10,
      hopRate: 12.5,
      domainConcurrency: new Map([['*', 3]]),
      domainRates: new Map([
        ['example.com', 5],
        ['*', 0.5],
      ]),
    });
  });
  it('requires only the next hop for the role hop', () => {
    expect(faultsOf({}, 'hop')).toEqual(['SMTP_URL']);
    expect(readConfig({ SMTP_URL: 'smtp://hop' }, 'hop').nextHop).toMatchObject({ host: 'hop' });
    expect(faultsOf({ KAFKA_BROKERS: 'k:9092', SMTP_URL: 'smtp://hop' }, 'hop')).toEqual([]);
  });

  it('takes 0 as a rate, which stops sending', () => {
    expect(readConfig({ HOP_RATE: '0' }, 'standalone').sending.hopRate).toBe(0);
  });

  it('reads rates by domain in A-labels, as deliveries are counted', () => {
    const { domainRates } = readConfig({ DOMAIN_RATES: 'bücher.example=5' }, 'standalone').sending;
    expect([...domainRates.keys()]).toEqual(['xn--bcher-kva.example']);
  });

  it('takes 0 as no rate limit, and an empty value as not set', () => {
    expect(readConfig({ RATE_LIMIT: '1000000000/60' }, 'standalone').rateLimit).toEqual({ requests: 1e9, seconds: 60 });
    expect(readConfig({ RATE_LIMIT: '0', PORT: '' }, 'standalone')).toMatchObject({ rateLimit: null, port: 3000 });
  });

  it('reads keys to be revoked, separated by blanks, and refuses the bootstrap key among them', () => {
    const [key, one, two] = ['k'.repeat(20), '1'.repeat(20), 'two,'.repeat(9)];
    expect(readConfig({ REVOKED_API_KEYS: ` ${one}  ${two}\n` }, 'standalone').revokedApiKeys).toEqual([one, two]);
    expect(readConfig({ BOOTSTRAP_API_KEY: key }, 'standalone').revokedApiKeys).toEqual([]);
    const both = { BOOTSTRAP_API_KEY: key, REVOKED_API_KEYS: `${one} ${key}` };
    expect(() => readConfig(both, 'standalone')).toThrow('BOOTSTRAP_API_KEY is one of REVOKED_API_KEYS');
  });

  it('also revokes keys separated by commas: revoking what is not a key has no effect', () => {
    const [one, two] = ['1'.repeat(20), '2'.repeat(20)];
    const revokedBy = (REVOKED_API_KEYS: string) => readConfig({ REVOKED_API_KEYS }, 'standalone').revokedApiKeys;
    expect(revokedBy(`${one},${two}`)).toEqual([`${one},${two}`, one, two]);
    expect(revokedBy(`${one}, ${two}`)).toEqual([`${one},`, one, two]);
  });

  it('names every fault at once', () => {
    expect(faultsOf({ PORT: 'x', LOG_LEVEL: 'y', KAFKA_BROKERS: 'k:9092' })).toEqual(
      expect.arrayContaining(['PORT', 'LOG_LEVEL', 'MONGODB_URI']),
    );
  });

  it.each([',', 'kafka', 'kafka:0', 'kafka-1:9092,kafka-2:99999', 'kafka-1:9092 kafka-2:9092', 'http://kafka:9092'])(
    'refuses the brokers %s, and reports what else the cluster needs',
    (KAFKA_BROKERS) => {
      expect(faultsOf({ ...CLUSTER, KAFKA_BROKERS }, 'gateway')).toEqual(['KAFKA_BROKERS']);
      expect(faultsOf({ KAFKA_BROKERS })).toEqual(['KAFKA_BROKERS', 'MONGODB_URI']);
      expect(faultsOf({ KAFKA_BROKERS }, 'gateway')).toEqual(['KAFKA_BROKERS', 'MONGODB_URI', 'INTERNAL_SECRET']);
    },
  );

  it('requires both KAFKA_BROKERS and MONGODB_URI, or neither', () => {
    expect(faultsOf({ ...CLUSTER, MONGODB_URI: '' }, 'gateway')).toContain('MONGODB_URI');
    expect(faultsOf({ ...CLUSTER, KAFKA_BROKERS: '' }, 'gateway')).toContain('KAFKA_BROKERS');
    expect(faultsOf(CLUSTER, 'gateway')).toEqual([]);
    expect(faultsOf({}, 'gateway')).toEqual(['KAFKA_BROKERS']);
    expect(faultsOf(CLUSTER, 'standalone')).toEqual(['KAFKA_BROKERS']);
  });

  it('requires a valid address of MongoDB, and does not repeat an invalid one', () => {
    for (const uri of ['mongo://user:secret@m/db', 'm:27017', 'mongodb://'])
      expect(() => readConfig({ ...CLUSTER, MONGODB_URI: uri }, 'gateway')).toThrow(
        /can't be used:\n {2}MONGODB_URI must be a mongodb:\/\/ or mongodb\+srv:\/\/ address$/,
      );
    expect(faultsOf({ ...CLUSTER, MONGODB_URI: 'mongodb+srv://user:secret@m/db' }, 'gateway')).toEqual([]);
  });

  it.each([
    ['KAFKA_BROKERS', 'user:geheim@k:9092', /KAFKA_BROKERS must be host:port, separated by commas$/],
    ['TRACKER_URL', 'htp://user:geheim@t', /TRACKER_URL must be an http:\/\/ or https:\/\/ address$/],
    ['TRACKER_URL', 'http://user:geheim@t:70000', /TRACKER_URL must be an http:\/\/ or https:\/\/ address$/],
    ['TRACKER_URL', 'tracker:3004', /address, is «tracker:3004»$/],
    ['KAFKA_BROKERS', 'k', /commas, has «k»$/],
  ])('repeats the value of %s, unless it may contain a password: %s', (variable, wrong, words) => {
    expect(() => readConfig({ ...CLUSTER, [variable]: wrong }, 'gateway')).toThrow(words);
  });

  it('requires a secret in the cluster, and a next hop where mail is sent', () => {
    const { INTERNAL_SECRET: _, ...open } = CLUSTER;
    expect(faultsOf(open, 'tracker')).toEqual(['INTERNAL_SECRET']);
    const { SMTP_URL: __, ...hopless } = CLUSTER;
    expect(faultsOf(hopless, 'dispatch')).toEqual(['SMTP_URL']);
    expect(faultsOf(hopless, 'gateway')).toEqual([]);
  });

  it('gives each service its default port', () => {
    const ports = (['gateway', 'contacts', 'renderer', 'dispatch', 'tracker'] as const).map(
      (service) => readConfig(CLUSTER, service).port,
    );
    expect(ports).toEqual([3000, 3001, 3002, 3003, 3004]);
    expect(readConfig(CLUSTER, 'gateway').host).toBe('0.0.0.0');
  });

  it('requires of programs beside the services only what they need', () => {
    const { INTERNAL_SECRET: _, SMTP_URL: __, ...stores } = CLUSTER;
    expect(faultsOf(stores, 'init')).toEqual([]);
    expect(faultsOf({ KAFKA_BROKERS: 'k:9092' }, 'init')).toEqual(['MONGODB_URI']);
    expect(faultsOf({}, 'init')).toEqual(['KAFKA_BROKERS']);
    expect(faultsOf({}, 'mailbox')).toEqual([]);
    expect(faultsOf(CLUSTER, 'mailbox')).toEqual([]);
    expect(faultsOf({}, 'welcome')).toEqual(['BOOTSTRAP_API_KEY']);
    expect(readConfig({}, 'mailbox')).toMatchObject({ port: 3005, mailbox: { smtpPort: 1025, open: false } });
    // Within another process, nobody needs to know its port, and the default one may be in use.
    expect(readConfig({}, 'standalone')).toMatchObject({ mailbox: { smtpPort: 0 } });
    expect(faultsOf({ MAILBOX_OPEN: 'yes', MAILBOX_SMTP_PORT: 'x', DRAIN_SECONDS: '61' }, 'mailbox')).toEqual([
      'DRAIN_SECONDS',
      'MAILBOX_SMTP_PORT',
      'MAILBOX_OPEN',
    ]);
  });

  it('has all its variables documented', () => {
    const file = (path: string) => readFileSync(join(__dirname, '../../..', path), 'utf8');
    const names = ['README.md', 'docs/operating.md', 'docs/secrets.md', 'docs/command.md', 'docs/monitoring.md'];
    const pages = names.map(file).join('');
    const read = [...file('libs/config/src/config.reading.ts').matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(
      ([, name]) => name!,
    );
    expect(read.length).toBeGreaterThan(20);
    // The pages shorten those of SASL: `KAFKA_SASL_MECHANISM`, `_USERNAME`, `_PASSWORD`.
    const isDocumented = (name: string) =>
      new RegExp(`\`${name}\\b`).test(pages) || pages.includes(`\`${name.replace('KAFKA_SASL', '')}\``);
    expect(read.filter((name) => !isDocumented(name))).toEqual([]);
    const secrets = read.filter((name) => /SECRET\b|SECRET_|PASSWORD|KEY/.test(name));
    expect(secrets.filter((name) => !SECRET_VARIABLES.includes(name))).toEqual([]);
  });
});

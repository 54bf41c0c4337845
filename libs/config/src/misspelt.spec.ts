import { readConfig } from './config.reading';

const misspelt = (environment: Record<string, string>) =>
  readConfig(environment, 'standalone').misspelt.map(({ variable, meant }) => [variable, meant]);

describe('a variable that nothing reads', () => {
  it.each([
    ['RETRY_DELAY', 'RETRY_DELAYS'],
    ['SMPT_URL', 'SMTP_URL'],
    ['MONGODB_URL', 'MONGODB_URI'],
    ['KAFKA_BROKERRS', 'KAFKA_BROKERS'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['SMTP_URL_FIEL', 'SMTP_URL_FILE'],
    ['RATE_LIMIT_FILE', 'RATE_LIMIT'],
    ['SMTP_HOST', 'SMTP_URL'],
    ['SMTP_PASSWORD', 'SMTP_URL'],
  ])('is reported with the similar one that is read: %s', (variable, meant) => {
    expect(misspelt({ [variable]: 'x' })).toEqual([[variable, meant]]);
  });

  it('is ignored when it is similar to none, or empty', () => {
    for (const twoOff of ['SXMP_URL', 'STXP_URL', 'STMP_HOST']) expect(misspelt({ [twoOff]: 'x' })).toEqual([]);
    const others = { PATH: '/bin', HOSTS: 'a', PORTS: '1', KAFKA_PORT: 'tcp://10.0.0.1:9092', GATEWAY_PORT: '1' };
    expect(misspelt({ ...others, RETRY_DELAY: ' ', RATE_LIMIT: '0', LOG_LEVEL: 'warn' })).toEqual([]);
  });
});

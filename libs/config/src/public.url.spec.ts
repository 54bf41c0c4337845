import { type Role } from './config';
import { readConfig } from './config.reading';
import { publicUrlWarning } from './public.url';

const CLUSTER = { KAFKA_BROKERS: 'k:1', MONGODB_URI: 'mongodb://m/l', INTERNAL_SECRET: 'x'.repeat(32) };

const warningOf = (PUBLIC_URL: string | undefined, service: Role = 'standalone') => {
  const environment = { ...(service === 'standalone' ? {} : CLUSTER), ...(PUBLIC_URL && { PUBLIC_URL }) };
  return publicUrlWarning(readConfig(environment, service), service);
};

describe('PUBLIC_URL', () => {
  it.each([
    'http://mail.example.com',
    'HTTP://mail.example.com/x',
    'http://10.0.0.7:3000',
    'http://localhost.example.com',
  ])('causes a warning when links would cross the network unencrypted: %s', (url) =>
    expect(warningOf(url)).toMatch(/^PUBLIC_URL .*https/),
  );

  it.each([
    undefined,
    'https://mail.example.com',
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'http://[::1]:3000',
  ])('causes no warning otherwise: %s', (url) => expect(warningOf(url)).toBeUndefined());

  it('causes the warning only in the service that writes the links', () => {
    const warned = (service: Role) => warningOf('http://mail.example.com', service) !== undefined;
    expect((['renderer', 'gateway', 'contacts', 'tracker', 'init', 'mailbox'] as const).filter(warned)).toEqual([
      'renderer',
    ]);
  });
});

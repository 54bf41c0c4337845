import type { Config, Role } from './config';
import type { Complain } from './variable.reader';

/** Rules that involve several variables. */
export function checkCombinations(config: Config, service: Role, complain: Complain): void {
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

import { SERVICES } from '@lettermill/config';

export const SERVER_SECRETS = ['KAFKA_BROKERS', 'MONGODB_URI'];
export const SHARED_SECRETS = [...SERVER_SECRETS, 'INTERNAL_SECRET'];
/** The secrets that each workload may know, in Kubernetes and Compose alike, and no others. */
export const SECRETS_OF: Record<string, string[]> = {
  ...Object.fromEntries(SERVICES.map((service) => [service, SHARED_SECRETS])),
  gateway: [...SHARED_SECRETS, 'BOOTSTRAP_API_KEY'],
  dispatch: [...SHARED_SECRETS, 'SMTP_URL', 'DKIM_KEY_SECRET'],
  init: SERVER_SECRETS,
  mailbox: ['BOOTSTRAP_API_KEY'],
  welcome: ['BOOTSTRAP_API_KEY'],
  kafka: [],
  mongo: [],
};

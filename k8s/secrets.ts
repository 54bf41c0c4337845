export const SERVER_SECRETS = ['KAFKA_BROKERS', 'MONGODB_URI'];
export const SHARED_SECRETS = [...SERVER_SECRETS, 'INTERNAL_SECRET'];
/** The secrets that each workload may know, in Kubernetes and Compose alike, and no others. */
export const SECRETS_OF: Record<string, string[]> = {
  gateway: [...SHARED_SECRETS, 'BOOTSTRAP_API_KEY'],
  contacts: SHARED_SECRETS,
  renderer: SHARED_SECRETS,
  dispatch: [...SHARED_SECRETS, 'SMTP_URL', 'DKIM_KEY_SECRET'],
  tracker: SHARED_SECRETS,
  init: SERVER_SECRETS,
  mailbox: ['BOOTSTRAP_API_KEY'],
  welcome: ['BOOTSTRAP_API_KEY'],
  kafka: [],
  mongo: [],
};

export const SERVERS = ['KAFKA_BROKERS', 'MONGODB_URI'];
export const SHARED = [...SERVERS, 'INTERNAL_SECRET'];
/** The secrets that each workload may know, in Kubernetes and Compose alike, and no others. */
export const KNOWN: Record<string, string[]> = {
  gateway: [...SHARED, 'BOOTSTRAP_API_KEY'],
  contacts: SHARED,
  renderer: SHARED,
  dispatch: [...SHARED, 'SMTP_URL', 'DKIM_KEY_SECRET'],
  tracker: SHARED,
  init: SERVERS,
  mailbox: ['BOOTSTRAP_API_KEY'],
  welcome: ['BOOTSTRAP_API_KEY'],
  kafka: [],
  mongo: [],
};

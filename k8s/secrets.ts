export const SERVERS = ['KAFKA_BROKERS', 'MONGODB_URI'];
export const SHARED = [...SERVERS, 'INTERNAL_SECRET'];
/** What each may know beside what is no secret, in Kubernetes and Compose alike, and nothing else. */
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

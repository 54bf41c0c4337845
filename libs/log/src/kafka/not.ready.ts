import { LogUnavailable } from '../log.port';
import { faultRoot, faultType } from './kafka.client';
import type { KafkaSettings } from './kafka.options';

/** What brokers answer whoever may not do on a topic what is asked. */
const REFUSED = 'TOPIC_AUTHORIZATION_FAILED';

/** What is wrong by what a broker answers. */
const WRONG: Record<string, string> = {
  INVALID_REPLICATION_FACTOR: 'there are fewer than KAFKA_REPLICATION',
  ILLEGAL_SASL_STATE: 'this port takes no login, and KAFKA_SASL_MECHANISM is set',
  UNSUPPORTED_SASL_MECHANISM: 'this port has no login of the kind that KAFKA_SASL_MECHANISM names',
};

/** A right that the brokers refuse: which one, on which topics, as they name them. */
export class RightRefused extends LogUnavailable {
  constructor(right: string, topics: string[], cause: unknown) {
    const where = `the right ${right} on ${topics.join(', ')}`;
    super(`the Kafka user lacks ${where}: docs/operating.md, «Rights on Kafka and MongoDB»`, { cause });
  }
}

export function isRefused(error: unknown): boolean {
  return faultType(error) === REFUSED;
}

/** What a broker that could not be asked may want of the settings; '' where nothing points to them. */
export function whyNotReady(error: unknown, settings: Pick<KafkaSettings, 'tls' | 'sasl'>): string {
  const why =
    error instanceof RightRefused ? error.message : (WRONG[faultType(error) ?? ''] ?? mismatch(error, settings));
  return why && `: ${why}`;
}

/** A broker only closes the connection of who speaks to it otherwise than its port is set up. */
function mismatch(error: unknown, { tls, sasl }: Pick<KafkaSettings, 'tls' | 'sasl'>): string {
  const { name, code } = faultRoot(error);
  if (name === 'KafkaJSConnectionClosedError') {
    const unset = [...(tls ? [] : ['TLS (KAFKA_TLS)']), ...(sasl ? [] : ['a login (KAFKA_SASL_MECHANISM)'])];
    return unset.length > 0 ? `does this port want ${unset.join(' or ')}?` : '';
  }
  const inHandshake = /^(ECONNRESET|EPROTO|ERR_SSL_.*)$/.test(`${code}`);
  return tls && inHandshake ? 'does this port speak TLS? KAFKA_TLS is on' : '';
}

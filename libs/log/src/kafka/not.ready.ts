import { OncePer } from '@lettermill/concurrency';
import { LogUnavailable } from '../log.port';
import { faultRoot, faultText, faultType } from './kafka.client';
import type { KafkaSettings } from './kafka.options';

/** The brokers' answer to a user who lacks a right on a topic. */
const RIGHT_REFUSED = 'TOPIC_AUTHORIZATION_FAILED';

/** Milliseconds after which the same reason is logged again: a wrong setting stays wrong until somebody changes it. */
const REPEAT_INTERVAL_MS = 30_000;

/** What is wrong with the settings, by the brokers' error. */
const SETTING_HINTS: Record<string, string> = {
  INVALID_REPLICATION_FACTOR: 'there are fewer than KAFKA_REPLICATION, or without it than their own default, asks for',
  ILLEGAL_SASL_STATE: 'this port takes no login, and KAFKA_SASL_MECHANISM is set',
  UNSUPPORTED_SASL_MECHANISM: 'this port has no login of the kind that KAFKA_SASL_MECHANISM names',
};

/** A right that the brokers refuse: which one, and on which topics (as the brokers name them). */
export class RightRefused extends LogUnavailable {
  constructor(right: string, topics: string[], cause: unknown) {
    const where = `the right ${right} on ${topics.join(', ')}`;
    super(`the Kafka user lacks ${where}: docs/operating.md, «Rights on Kafka and MongoDB»`, { cause });
  }
}

export function isRightRefused(error: unknown): boolean {
  return faultType(error) === RIGHT_REFUSED;
}

/** Tells the operator why the brokers are not ready, whenever the reason is another one, and now and then. */
export function notReadyReporter(settings: Pick<KafkaSettings, 'tls' | 'sasl' | 'logger'>): (error: unknown) => void {
  const once = new OncePer(REPEAT_INTERVAL_MS, Date.now);
  return (error) => {
    const { cause } = error as Error;
    const code = faultType(cause) ?? 'no_connection';
    const why = whyNotReady(error, settings);
    if (!once.passes(`${code}${why}`)) return;
    settings.logger.warn({ code, detail: faultText(cause) }, `the brokers are not ready${why}; trying again`);
  };
}

/** Which settings may be the reason why the brokers are not ready; '' if nothing points to one. */
export function whyNotReady(error: unknown, settings: Pick<KafkaSettings, 'tls' | 'sasl'>): string {
  const why =
    error instanceof RightRefused
      ? error.message
      : (SETTING_HINTS[faultType(error) ?? ''] ?? mismatchHint(error, settings));
  return why && `: ${why}`;
}

/** A broker merely closes the connection of a client that does not speak what its port is set up for. */
function mismatchHint(error: unknown, { tls, sasl }: Pick<KafkaSettings, 'tls' | 'sasl'>): string {
  const { name, code } = faultRoot(error);
  if (name === 'KafkaJSConnectionClosedError') {
    const unset = [...(tls ? [] : ['TLS (KAFKA_TLS)']), ...(sasl ? [] : ['a login (KAFKA_SASL_MECHANISM)'])];
    return unset.length > 0 ? `does this port want ${unset.join(' or ')}?` : '';
  }
  const inHandshake = /^(ECONNRESET|EPROTO|ERR_SSL_.*)$/.test(`${code}`);
  return tls && inHandshake ? 'does this port speak TLS? KAFKA_TLS is on' : '';
}

import { CATALOG, topicsOf, type EventFaultCode } from '@lettermill/events';
import { appendFaults, deadLetters, eventRetries, eventsHandled } from './metrics';

/** Codes of dead letters as the metrics show them. A handler may fail with any code; those share one label, which bounds their number. */
const BROKEN = ['event_not_json', 'event_type_unknown', 'event_schema_broken'] satisfies EventFaultCode[];
const OTHER = 'handler_failed';
/** Temporary faults of the log and of the store. */
const AWAY = ['log_unavailable', 'store_unavailable'];
const REFUSED = ['log_unavailable', 'log_failed', 'record_too_large'];

export const letterLabel = (code: string) => (BROKEN.some((known) => known === code) ? code : OTHER);

/**
 * Makes the counters of a service begin at 0. Prometheus sees no increase in the first value of a counter, so a counter that
 * begins at 1 would hide its first event from every `rate` and `increase`.
 */
export function countFromZero(service: string, topics: string[]): void {
  for (const code of REFUSED) appendFaults.inc({ service, code }, 0);
  for (const topic of topics) {
    for (const code of [...BROKEN, OTHER]) deadLetters.inc({ service, topic, code }, 0);
    for (const code of AWAY) eventRetries.inc({ service, topic, code }, 0);
    for (const [type, event] of Object.entries(CATALOG))
      if (topicsOf(event.topic).includes(topic)) eventsHandled.inc({ service, topic, type }, 0);
  }
}

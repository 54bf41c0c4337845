import { CATALOG, topicsOf, type EventFaultCode } from '@lettermill/events';
import { appendFaults, deadLetters, eventRetries, eventsHandled } from './metrics';

/** Codes of dead letters as the metrics show them. A handler may fail with any code; those share one label, which bounds their number. */
const BROKEN_EVENT_CODES = ['event_not_json', 'event_type_unknown', 'event_schema_broken'] satisfies EventFaultCode[];
const OTHER_CODE = 'handler_failed';
/** Temporary faults of the log and of the store. */
const UNAVAILABLE_CODES = ['log_unavailable', 'store_unavailable'];
const APPEND_FAULT_CODES = ['log_unavailable', 'log_failed', 'record_too_large'];

export const deadLetterLabel = (code: string) =>
  BROKEN_EVENT_CODES.some((known) => known === code) ? code : OTHER_CODE;

/**
 * Makes the counters of a service begin at 0. Prometheus sees no increase in the first value of a counter, so a counter that
 * begins at 1 would hide its first event from every `rate` and `increase`.
 */
export function startCountersAtZero(service: string, topics: string[]): void {
  for (const code of APPEND_FAULT_CODES) appendFaults.inc({ service, code }, 0);
  for (const topic of topics) {
    for (const code of [...BROKEN_EVENT_CODES, OTHER_CODE]) deadLetters.inc({ service, topic, code }, 0);
    for (const code of UNAVAILABLE_CODES) eventRetries.inc({ service, topic, code }, 0);
    for (const [type, event] of Object.entries(CATALOG))
      if (topicsOf(event.topic).includes(topic)) eventsHandled.inc({ service, topic, type }, 0);
  }
}

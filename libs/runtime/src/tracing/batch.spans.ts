import type { ReceivedEvent } from '@lettermill/events';
import { SPAN_KIND, type OpenSpan } from './span';
import { startSpan, tracingIsOn } from './tracing';

/**
 * Starts a span for each event of a batch that belongs to a trace. The event's `traceparent` becomes that of the span, so that
 * what a handler derives from it is below it. Returns a function that ends the spans; `faults` are codes by index in the batch.
 */
export function traceBatch(
  service: string,
  events: ReceivedEvent[],
): ((faults: Map<number, string>) => void) | undefined {
  if (!tracingIsOn()) return undefined;
  const spans = events.map((event): OpenSpan | undefined => {
    if (event.traceparent === undefined) return undefined;
    const span = startSpan(service, {
      name: `process ${event.type}`,
      kind: SPAN_KIND.consumer,
      parent: event.traceparent,
      facts: {
        'messaging.operation.type': 'process',
        'messaging.destination.name': event.topic,
        'messaging.destination.partition.id': String(event.partition),
        'messaging.consumer.group.name': service,
        'messaging.message.id': event.id,
        'messaging.batch.message_count': events.length,
      },
    });
    if (span) event.traceparent = span.traceparent;
    return span;
  });
  return (faults) => spans.forEach((span, at) => span?.end(undefined, faults.get(at)));
}

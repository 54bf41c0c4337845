import Ajv, { type ValidateFunction } from 'ajv';
import { CATALOG, type EventType } from './catalog';
import type { Event, ReceivedEvent } from './event';
import { topicOf, topicsOf } from './topics';

/** Shape of a record that the log takes and gives; this library knows nothing else of the log. */
export interface RawRecord {
  topic: string;
  key: string;
  /** Bytes, or the text itself, perhaps in parts. */
  value: Buffer | string | string[];
  headers: Record<string, string>;
}

export type EventFaultCode = 'event_not_json' | 'event_type_unknown' | 'event_schema_broken';

/** The record is not an event of ours and never will be: it belongs in the dead letters. */
export class EventFault extends Error {
  readonly retryable = false;
  constructor(
    readonly code: EventFaultCode,
    message: string,
  ) {
    super(message);
  }
}

const ajv = new Ajv({ allErrors: false, strict: false });
const validators = new Map<EventType, ValidateFunction>();

function validatorOf(type: EventType): ValidateFunction {
  let validator = validators.get(type);
  if (!validator) {
    validator = ajv.compile(CATALOG[type].schema);
    validators.set(type, validator);
  }
  return validator;
}

function isEventType(type: string | undefined): type is EventType {
  return type !== undefined && Object.hasOwn(CATALOG, type);
}

/** Consumers take every event of a topic for one of its family, so one that got into another topic would be lost. */
const TOPICS_OF_TYPE = new Map(
  Object.entries(CATALOG).map(([type, { topic }]) => [type, new Set(topicsOf(topic))] as const),
);

/** The URI of a type's schema; its last part is the version. */
export function schemaUri(type: EventType): string {
  return `urn:lettermill:event:${type}:${CATALOG[type].version}`;
}

/** CloudEvents 1.0, binary mode (Kafka protocol binding): attributes in `ce_` headers, data as the value. */
export function encodeEvent<T extends EventType>(event: Event<T>): RawRecord {
  return recordFactory(event)(event.id, event.key, JSON.stringify(event.data));
}

/**
 * As `encodeEvent`, for events that differ only in id, key and data. The data are already JSON text, so that large
 * shared parts need not be serialised again.
 */
export function recordFactory<T extends EventType>(
  event: Pick<Event<T>, 'type' | 'source' | 'time' | 'traceparent' | 'priority'>,
): (id: string, key: string, data: string | string[]) => RawRecord {
  const { type, time, traceparent } = event;
  const topic = topicOf(CATALOG[type].topic, event.priority);
  const source = `/lettermill/${event.source}`;
  const schema = schemaUri(type);
  return (id, key, data) => {
    const headers: Record<string, string> = {
      ce_specversion: '1.0',
      'content-type': 'application/json',
      ce_type: type,
      ce_source: source,
      ce_dataschema: schema,
      ce_time: time,
    };
    if (traceparent) headers.traceparent = traceparent;
    // Headers that differ from record to record come last: the log writes those that neighbours share only once.
    headers.ce_id = id;
    return { topic, key, value: data, headers };
  };
}

function textOf(value: RawRecord['value']): string {
  return Array.isArray(value) ? value.join('') : value.toString();
}

/** Reads a record back. Throws `EventFault` if it is not an event that we know. */
export function decodeEvent(record: RawRecord & { partition: number; position: number }): ReceivedEvent {
  const { ce_type: type, ce_id: id } = record.headers;
  if (!isEventType(type)) {
    throw new EventFault('event_type_unknown', `no event type «${type ?? ''}» is known here`);
  }
  if (!TOPICS_OF_TYPE.get(type)!.has(record.topic)) {
    throw new EventFault('event_type_unknown', `${type} is no event of the topic ${record.topic}`);
  }
  let data: unknown;
  try {
    data = JSON.parse(textOf(record.value));
  } catch (error) {
    throw new EventFault('event_not_json', `${type}: ${(error as Error).message}`);
  }
  const validate = validatorOf(type);
  if (!id || !validate(data)) {
    const fault = validate.errors?.[0];
    const where = id ? `${fault?.instancePath ?? ''} ${fault?.message ?? ''}` : 'ce_id is missing';
    throw new EventFault('event_schema_broken', `${type}: ${where}`);
  }
  return {
    id,
    type,
    source: (record.headers.ce_source ?? '').replace('/lettermill/', ''),
    time: record.headers.ce_time ?? '',
    key: record.key,
    traceparent: record.headers.traceparent,
    data,
    topic: record.topic,
    partition: record.partition,
    position: record.position,
  } as ReceivedEvent;
}

import {
  Address,
  AttachmentRef,
  Attempt,
  BlobRef,
  Body,
  CATALOG,
  CopiesLeft,
  Details,
  LostCopy,
  Reason,
  Reply,
  schemaUri,
  Shared,
  TOPICS,
  topicsOf,
  type EventType,
} from '@lettermill/events';
import { VERSION } from '@lettermill/version';

const types = Object.keys(CATALOG) as EventType[];

/** What several events have in common, by the name under which they refer to it. */
const PARTS = { Address, AttachmentRef, Attempt, BlobRef, Body, CopiesLeft, Details, LostCopy, Reason, Reply, Shared };
const NAMES = new Map(Object.entries(PARTS).map(([name, schema]) => [JSON.stringify(schema), name]));

/** An AsyncAPI 3.0 document of every topic and event type. */
export function asyncApiDocument(): object {
  const message = (type: EventType) => ({
    name: type,
    title: type,
    summary: CATALOG[type].schema.description,
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_dataschema'],
      properties: {
        ce_specversion: { const: '1.0' },
        ce_id: { type: 'string' },
        ce_type: { const: type },
        ce_source: { type: 'string' },
        ce_time: { type: 'string', format: 'date-time' },
        ce_dataschema: { const: schemaUri(type) },
        traceparent: { type: 'string' },
      },
    },
    payload: ref(`#/components/schemas/${type}`),
  });
  const schemas = { ...PARTS, ...Object.fromEntries(types.map((type) => [type, CATALOG[type].schema])) };
  const topics = [...new Set(types.flatMap((type) => topicsOf(CATALOG[type].topic)))];
  return {
    asyncapi: '3.0.0',
    info: { title: 'Lettermill events', version: VERSION, description: 'CloudEvents 1.0 in binary mode on the log.' },
    channels: Object.fromEntries(
      topics.map((topic) => [
        topic,
        {
          address: topic,
          messages: Object.fromEntries(
            types
              .filter((type) => topicsOf(CATALOG[type].topic).includes(topic))
              .map((type) => [type, ref(`#/components/messages/${type}`)]),
          ),
        },
      ]),
    ),
    operations: Object.fromEntries(
      topics.map((topic) => [topic, { action: 'send', channel: ref(`#/channels/${topic}`) }]),
    ),
    components: {
      messages: Object.fromEntries(types.map((type) => [type, message(type)])),
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withReferences(schema)])),
    },
  };
}

const ref = ($ref: string) => ({ $ref });

/** A schema that refers to the parts that it contains. */
function withReferences(schema: object): object {
  if (Array.isArray(schema)) return schema.map(referenceOr);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, referenceOr(value)]));
}

function referenceOr(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = NAMES.get(JSON.stringify(value));
  return name ? ref(`#/components/schemas/${name}`) : withReferences(value);
}

/** docs/events.md, from the catalogue of events. */
export function eventsPage(): string {
  const rows = types.map((type) => {
    const { topic, by, version, schema } = CATALOG[type];
    return `| \`${type}\` | ${version} | ${topicsOf(topic)
      .map((one) => `\`${one}\``)
      .join(' ')} | ${by.join(', ')} | ${schema.description} |`;
  });
  const fields = types.map((type) => {
    const { properties, required = [] } = CATALOG[type].schema as { properties: object; required?: string[] };
    const names = Object.keys(properties).map((name) => (required.includes(name) ? `\`${name}\`` : `\`${name}\`?`));
    return `- **${type}**: ${names.join(', ')}`;
  });
  return `# Events

This page is generated from the catalogue in \`libs/events\` by \`npm run docs\`. The full schemas are in [asyncapi.json](asyncapi.json).

Every event is a CloudEvent 1.0 in binary mode. Its attributes are record headers (\`ce_id\`, \`ce_type\`, \`ce_source\`, \`ce_time\`,
\`ce_dataschema\`), with \`traceparent\` if the request had one; the data is JSON. The last part of \`ce_dataschema\` is the version of the schema.
The id of a derived event is made from the id of its cause, so a repeated event is recognised.

| type | version | topics | written by | meaning |
|---|---|---|---|---|
${rows.join('\n')}

If an event has three topics, the [priority](concepts.md#priority) of the campaign decides.

\`${TOPICS.deadLetter}\` holds records that no service could handle, unchanged, with the headers \`origin-topic\`, \`origin-partition\`,
\`origin-offset\`, \`group\`, \`error-code\` and \`error\`. A record that is too large for this topic is stored without its own key, value and headers; its header
\`content-left-out\` says how many bytes the value has. What was [decided](command.md#dead-letters) about a letter follows it as a record with the headers \`dead-letter\`
(\`partition:position\`) and \`decision\`. A record that was put back on its topic has the header \`redrive-group\`; all other groups skip it.

## Data

${fields.join('\n')}

Large content is stored in the blob store, not in the event: a text over 256 KiB, an attachment, and data over 16 KiB that the recipients of a request share.
The event has \`{ blob, size }\`, where \`blob\` is the SHA-256 of the bytes.
`;
}

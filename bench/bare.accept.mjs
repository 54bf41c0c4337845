// The minimum that counts as accepting: Fastify, a compiled schema, one durable append of the whole request, an answer.
import { createRequire } from 'node:module';
import Fastify from 'fastify';
import { v7 } from 'uuid';
import { bareKafka } from './bare.kafka.mjs';

const log = process.env.TOPIC ? await bareKafka(process.env.TOPIC) : await embedded();

async function embedded() {
  const require = createRequire(import.meta.url);
  const { EmbeddedLog } = require('../dist/libs/log/src/index.js');
  return EmbeddedLog.open({
    directory: process.env.DATA_DIR,
    retention: { days: 0, keepWhole: [] },
    onFatal: (error) => {
      throw error;
    },
  });
}

const recipient = {
  type: 'object',
  additionalProperties: false,
  required: ['contact_key'],
  properties: {
    contact_key: { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1, maxProperties: 1 },
    profile_data: { type: 'object' },
  },
};
const schema = {
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['campaign', 'to'],
    properties: {
      campaign: { type: 'string', pattern: '^[A-Za-z0-9-_]{3,40}$' },
      to: { anyOf: [recipient, { type: 'array', minItems: 1, maxItems: 100, items: recipient }] },
      profile_data: { type: 'object' },
    },
  },
};

const fastify = Fastify({ bodyLimit: 33554432 });
fastify.post('/v2/send/email', { schema }, async (request, reply) => {
  const requestId = v7();
  const { to, campaign, profile_data: shared } = request.body;
  const recipients = Array.isArray(to) ? to : [to];
  const records = recipients.map((one, index) => ({
    topic: 'message-requested',
    key: one.contact_key.email,
    value: Buffer.from(JSON.stringify({ requestId, index, campaign, shared, ...one })),
    // The same durable step: CloudEvents headers, as the records of Lettermill have them.
    headers: {
      ce_specversion: '1.0',
      ce_id: `${requestId}-${index}`,
      ce_type: 'MessageRequested',
      ce_source: '/lettermill/gateway',
      ce_time: new Date().toISOString(),
      ce_dataschema: 'urn:lettermill:event:MessageRequested:1',
      'content-type': 'application/json',
    },
  }));
  await log.append(records);
  reply.code(202);
  return {
    request_id: requestId,
    messages: recipients.map((one, index) => ({ message_id: `${requestId}-${index}`, contact_key: one.contact_key })),
  };
});
await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');

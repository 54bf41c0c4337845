// The minimum that counts as refusing: Fastify, and ajv that continues after the first error.
import Fastify from 'fastify';

const email = { type: 'string', maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' };
const recipient = {
  type: 'object',
  additionalProperties: false,
  required: ['contact_key'],
  properties: {
    contact_key: { type: 'object', additionalProperties: false, properties: { email } },
    external_message_id: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' },
    profile_data: { type: 'object' },
  },
};
const body = {
  type: 'object',
  additionalProperties: false,
  required: ['campaign', 'to'],
  properties: {
    campaign: { type: 'string', pattern: '^[A-Za-z0-9-_]{3,40}$' },
    to: { type: 'array', minItems: 1, maxItems: 100, items: recipient },
  },
};

// By default Fastify removes unknown properties.
const fastify = Fastify({
  bodyLimit: 64 * 1024 * 1024,
  ajv: { customOptions: { allErrors: true, removeAdditional: false } },
});
fastify.post('/v2/send/email', { schema: { body }, attachValidation: true }, async (request, reply) => {
  const errors = request.validationError?.validation ?? [];
  reply.code(422).header('content-type', 'application/problem+json');
  return {
    status: 422,
    errors: errors.map(({ instancePath, message }) => ({ pointer: instancePath, detail: message })),
  };
});
await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');

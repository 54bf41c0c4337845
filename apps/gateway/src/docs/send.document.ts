const SCHEMAS = '#/components/schemas';
const GUID = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';

const minimal = { campaign: 'welcome', to: 'ada@example.com' };

const full = {
  campaign: { slug: 'welcome' },
  profile_data: { shop: 'Leeds' },
  message: { reply_to: 'help@example.com', cc: [{ email: 'sales@example.com', name: 'Sales' }] },
  attachments: [{ attachment_type: 'file', file_name: 'terms.txt', data: 'SGVsbG8=', cid: 'terms' }],
  to: [
    {
      contact_key: { crm_id: 'C-77' },
      email_address: { email: 'ada@example.com', name: 'Ada Lovelace' },
      profile_data: { first_name: 'Ada' },
      message: { subject: 'Your invoice, {{ first_name }}', headers: { 'X-Order': '0815' } },
    },
    { email: 'grace@example.com', name: 'Grace Hopper' },
    { sms: '+31612345678' },
  ],
};

const multipart = {
  json: { ...minimal, attachments: [{ file_ref: GUID, file_name: 'invoice.pdf' }] },
  [GUID]: '(the bytes of invoice.pdf)',
};

/** The body of POST /v2/send/email: JSON, or a form whose part `json` holds the same JSON and whose other parts are files. */
export const SEND_BODY = {
  required: true,
  content: {
    'application/json': {
      schema: { $ref: `${SCHEMAS}/SendEmailRequest` },
      examples: {
        minimal: { summary: 'A campaign and an address', value: minimal },
        full: { summary: 'Several recipients, overrides, files', value: full },
      },
    },
    'multipart/form-data': {
      schema: { $ref: `${SCHEMAS}/SendEmailRequestMultipart` },
      encoding: { json: { contentType: 'application/json' } },
      examples: { upload: { summary: 'A file in its own part of the form', value: multipart } },
    },
  },
};

const ACK_EXAMPLES = {
  minimal: {
    summary: 'One recipient',
    value: {
      request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a10',
      messages: [{ message_id: '0Qk3vZ8mT1xYbN5cRd', contact_key: { email: 'ada@example.com' } }],
    },
  },
  full: {
    summary: 'Several recipients, in the order of the request',
    value: {
      request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a11',
      messages: [
        {
          message_id: '0Qk3vZ8mT1xYbN5cRe',
          contact_key: { crm_id: 'C-77' },
          external_message_id: 'invoice-2026-0815',
        },
        { message_id: '0Qk3vZ8mT1xYbN5cRf', contact_key: { email: 'grace@example.com' } },
        { message_id: '0Qk3vZ8mT1xYbN5cRg', contact_key: { sms: '+31612345678' } },
      ],
    },
  },
};

/** The 202. */
export const SEND_ACCEPTED = {
  status: 202,
  description: 'Accepted: every message is on the durable log',
  headers: {
    'Idempotent-Replayed': {
      description: 'Present if this repeats the answer to an earlier request with the same Idempotency-Key',
      schema: { type: 'string' as const, enum: ['true'] },
      example: 'true',
    },
  },
  content: { 'application/json': { schema: { $ref: `${SCHEMAS}/SendEmailAck` }, examples: ACK_EXAMPLES } },
};

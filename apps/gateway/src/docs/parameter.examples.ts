/** An example for each parameter, so that a call tried from the document is well-formed from the start. */
const EXAMPLES: Record<string, unknown> = {
  'Idempotency-Key': 'order-2026-0815',
  address: 'ada@example.com',
  campaign: 'welcome',
  contact: 'ada@example.com',
  domain: 'shop.example',
  external_message_id: 'invoice-2026-0815',
  from: '2026-01-01T00:00:00Z',
  id: '01f0c9a7b2d44e6f8a1b2c3d4e5f6071',
  index: '0',
  key: 'email',
  key_id: '9d4c168e58772e259e',
  limit: 20,
  message_id: '0Qk3vZ8mT1xYbN5cRd',
  reason: 'mailbox_unknown',
  remote: '1',
  request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a10',
  state: ['deferred', 'uncertain'],
  to: '2026-02-01T00:00:00Z',
  value: 'ada@example.com',
  view: '1',
};

export interface Parameter {
  name: string;
  example?: unknown;
}

export function withExamples(parameters: Parameter[]): Parameter[] {
  return parameters.map((parameter) =>
    parameter.name in EXAMPLES ? { ...parameter, example: EXAMPLES[parameter.name] } : parameter,
  );
}

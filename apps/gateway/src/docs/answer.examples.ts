import type { MessageAnswer } from '@lettermill/events';

const ACCEPTED_AT = '2026-03-01T09:30:00.000Z';
const SENT_AT = '2026-03-01T09:30:00.214Z';

/** A message as it usually ends: sent at the first attempt. */
export const SENT_MESSAGE: MessageAnswer = {
  message_id: '0Qk3vZ8mT1xYbN5cRd',
  request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a10',
  external_message_id: 'invoice-2026-0815',
  contact_key: { email: 'ada@example.com' },
  campaign: { id: '0WnKd0pQ2ZxT5vLrYb', slug: 'welcome', version: 1 },
  state: 'sent',
  reason: null,
  created_at: ACCEPTED_AT,
  updated_at: SENT_AT,
  next_attempt_at: null,
  timeline: [
    { type: 'accepted', at: ACCEPTED_AT },
    { type: 'queued', at: ACCEPTED_AT },
    { type: 'sent', at: SENT_AT },
  ],
  attempts: [
    {
      number: 1,
      at: ACCEPTED_AT,
      ended_at: SENT_AT,
      next_hop: 'smtp.example.net:587',
      remote_address: '192.0.2.7',
      tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', verified: true },
      outcome: 'sent',
      reply: { code: 250, enhanced: '2.6.0', text: 'Queued' },
      reason: null,
      next_attempt_at: null,
    },
  ],
};

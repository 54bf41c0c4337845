import type { Delivery } from '../lifecycle/delivery';

export const START = Date.parse('2026-01-02T03:04:05.000Z');
export const policy = { delays: [60, 300], random: 0.5 };
export const sending = (over: Partial<Delivery> = {}): Delivery => ({
  accountId: 'default',
  messageId: '0000000000000000AB',
  state: 'sending',
  attempts: 0,
  dueAt: null,
  ...over,
});

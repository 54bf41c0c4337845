import { Counter } from 'prom-client';

export const messagesAccepted = new Counter({
  name: 'lettermill_messages_accepted_total',
  help: 'Messages answered with 202',
});

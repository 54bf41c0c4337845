import { once } from '@lettermill/runtime';
import { Counter } from 'prom-client';

const mails = once(Counter<'result'>, {
  name: 'lettermill_dkim_mails_total',
  help: 'Mails by what became of their signing: signed, unsigned (their domain has no keys that sign) or failed',
  labelNames: ['result'],
});

export function mailSigned(result: 'signed' | 'unsigned' | 'failed'): void {
  mails.inc({ result });
}

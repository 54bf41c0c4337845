import { Counter, register } from 'prom-client';

const NAME = 'lettermill_dkim_mails_total';

/** Made once per process however many modules ask. */
const mails = (register.getSingleMetric(NAME) ??
  new Counter({
    name: NAME,
    help: 'Mails by what became of their signing: signed, unsigned (their domain has no keys that sign) or failed',
    labelNames: ['result'],
  })) as Counter<'result'>;

export function mailSigned(result: 'signed' | 'unsigned' | 'failed'): void {
  mails.inc({ result });
}

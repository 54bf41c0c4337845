import { metricOnce } from '@lettermill/runtime';
import { Counter } from 'prom-client';

const mails = metricOnce(Counter<'result'>, {
  name: 'lettermill_dkim_mails_total',
  help: 'Mails by result of signing: signed, unsigned (their domain has no keys that sign) or failed',
  labelNames: ['result'],
});

const RESULTS = ['signed', 'unsigned', 'failed'] as const;

/** Every result begins at 0, so that the first mail that fails shows as an increase. */
export function signingFromZero(): void {
  for (const result of RESULTS) mails.inc({ result }, 0);
}

export function countMail(result: (typeof RESULTS)[number]): void {
  mails.inc({ result });
}

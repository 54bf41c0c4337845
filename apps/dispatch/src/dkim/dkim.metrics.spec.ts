import { register } from 'prom-client';
import { countMail, signingFromZero } from './dkim.metrics';

describe('the counter of signing results', () => {
  const counted = () => register.getSingleMetricAsString('lettermill_dkim_mails_total');

  it('begins at 0, so that the first failure shows as an increase', async () => {
    signingFromZero();
    expect(await counted()).toContain('lettermill_dkim_mails_total{result="failed"} 0');
    countMail('failed');
    signingFromZero();
    expect(await counted()).toContain('lettermill_dkim_mails_total{result="failed"} 1');
  });
});

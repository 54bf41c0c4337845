import { register } from 'prom-client';
import { mailSigned, signingFromZero } from './dkim.metrics';

describe('the count of what became of signing', () => {
  const counted = () => register.getSingleMetricAsString('lettermill_dkim_mails_total');

  it('begins at 0, so that the first mail that fails is seen as one more than none', async () => {
    signingFromZero();
    expect(await counted()).toContain('lettermill_dkim_mails_total{result="failed"} 0');
    mailSigned('failed');
    signingFromZero();
    expect(await counted()).toContain('lettermill_dkim_mails_total{result="failed"} 1');
  });
});

import { register } from 'prom-client';
import { countAttempt } from './sending.metrics';

it('an attempt counts no time if the clock was set back during it', async () => {
  const seconds = async () => {
    const { values } = await register.getSingleMetric('lettermill_dispatch_attempt_seconds')!.get();
    return values.find((one) => (one as { metricName?: string }).metricName?.endsWith('_sum'))?.value ?? 0;
  };
  const before = await seconds();
  countAttempt({ hop: 'hop:25', domain: 'other', outcome: 'sent' }, -3_600_000);
  expect(await seconds()).toBe(before);
});

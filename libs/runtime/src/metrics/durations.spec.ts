import { Histogram, register } from 'prom-client';
import { Durations } from './durations';

const metricOptions = { help: 'Seconds', labelNames: ['service', 'status'], buckets: [0.1, 1] };

describe('durations', () => {
  it('are exported like a histogram of the registry, in whatever order they came', async () => {
    const ours = new Durations({ name: 'ours', ...metricOptions });
    const usual = new Histogram({ name: 'usual', ...metricOptions });
    for (const [service, status, seconds] of [
      ['a', 200, 0.1],
      ['a', 404, 0.5],
      ['a', 200, 0.0999],
      ['b', 200, 7],
      ['a', 200, 1.0001],
      ['say "b"\\\n', 200, 0],
    ] as const) {
      ours.labels(service, status).observe(seconds);
      usual.observe({ service, status }, seconds);
    }
    const text = await register.getSingleMetricAsString('ours');
    expect(text).toBe((await register.getSingleMetricAsString('usual')).replaceAll('usual', 'ours'));
    expect(text).toContain('ours_bucket{le="0.1",service="a",status="200"} 2');
  });

  it('of the same labels are one series', () => {
    const durations = new Durations({ name: 'one_series', ...metricOptions });
    expect(durations.labels('a', 200)).toBe(durations.labels('a', 200));
    expect(durations.labels('a', 200)).not.toBe(durations.labels('a', 404));
  });
});

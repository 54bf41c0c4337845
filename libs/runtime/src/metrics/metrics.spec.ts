import { Gauge, register } from 'prom-client';
import { metricsText } from './metrics';

describe('metrics', () => {
  it('are gathered once for concurrent callers, and only after they asked', async () => {
    let gathered = 0;
    const ends: (() => void)[] = [];
    new Gauge({
      name: 'test_gathered',
      help: 'How often',
      async collect() {
        const which = (gathered += 1);
        await new Promise<void>((resolve) => ends.push(resolve));
        this.set(which);
      },
    });
    const first = metricsText();
    await new Promise(setImmediate);
    const later = Array.from({ length: 50 }, () => metricsText());
    await new Promise(setImmediate);
    expect(gathered).toBe(1);
    ends[0]!();
    expect(await first).toContain('test_gathered 1\n');
    await new Promise(setImmediate);
    ends[1]!();
    for (const text of await Promise.all(later)) expect(text).toContain('test_gathered 2\n');
    expect(gathered).toBe(2);
    register.removeSingleMetric('test_gathered');
  });
});

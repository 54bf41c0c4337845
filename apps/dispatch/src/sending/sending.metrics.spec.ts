import { register } from 'prom-client';
import { queued, until } from '../testing/dispatch.service';
import { dispatchFile, typesOf } from '../testing/dispatched';
import { rawServer } from '../testing/test.servers';
import { countAttempt } from './sending.metrics';

const seconds = async (part: '_sum' | '_count') => {
  const { values } = await register.getSingleMetric('lettermill_dispatch_attempt_seconds')!.get();
  return values.find((one) => (one as { metricName?: string }).metricName?.endsWith(part))?.value ?? 0;
};

it('an attempt counts no time if the clock was set back during it', async () => {
  const before = await seconds('_sum');
  countAttempt({ hop: 'hop:25', domain: 'other', outcome: 'sent' }, -3_600_000);
  expect(await seconds('_sum')).toBe(before);
});

it('the time until somebody finds that the process of an attempt ended is not counted as that of the attempt', async () => {
  const server = await rawServer((connection) => (connection === 1 ? { dot: 'hang' } : {}));
  const on = dispatchFile();
  const first = await on.start(server.port);
  await first.take(queued(1, 'ada'));
  await until('handed over', () => server.contents.length > 0);
  await first.die();
  const before = await seconds('_count');
  await on.start(server.port);
  await until('sent again', () => typesOf(on, 1).includes('MessageSent'));
  expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
  expect((await seconds('_count')) - before).toBe(1);
});

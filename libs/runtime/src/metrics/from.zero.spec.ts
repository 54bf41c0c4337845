import { register } from 'prom-client';
import { TOPICS } from '@lettermill/events';
import { startCountersAtZero, deadLetterLabel } from './from.zero';
import { appendFaults, deadLetters, eventRetries, eventsHandled } from './metrics';

const SERVICE = 'tracker';
const topic = TOPICS.messageOutcome;
const series = async (name: string) =>
  (await register.getSingleMetric(name)!.get()).values.map(({ labels, value }) => ({ ...labels, value }));

describe('counters of a service', () => {
  afterEach(() => {
    for (const metric of [appendFaults, deadLetters, eventRetries, eventsHandled]) metric.reset();
  });

  it('begin at 0 for each topic that it reads and each label that can occur', async () => {
    startCountersAtZero(SERVICE, [topic]);
    const here = { service: SERVICE, topic, value: 0 };
    const codes = ['event_not_json', 'event_type_unknown', 'event_schema_broken', 'handler_failed'];
    expect(await series('lettermill_dead_letters_total')).toEqual(codes.map((code) => ({ ...here, code })));
    const handled = await series('lettermill_events_handled_total');
    expect(handled).toContainEqual({ ...here, type: 'MessageFailed' });
    expect(handled).not.toContainEqual(expect.objectContaining({ type: 'MessageRequested' }));
    const retries = await series('lettermill_event_retries_total');
    expect(retries).toContainEqual({ ...here, code: 'store_unavailable' });
    const faults = await series('lettermill_log_append_faults_total');
    expect(faults).toContainEqual({ service: SERVICE, code: 'log_unavailable', value: 0 });
  });

  it('keep what was counted before', async () => {
    deadLetters.inc({ service: SERVICE, topic, code: 'event_not_json' });
    startCountersAtZero(SERVICE, [topic]);
    const letters = await series('lettermill_dead_letters_total');
    expect(letters).toContainEqual({ service: SERVICE, topic, code: 'event_not_json', value: 1 });
  });

  it('are labelled with the codes of broken records, and with one code for all of handlers', () => {
    expect(['event_not_json', 'handler_failed', 'too_odd', 'toString'].map(deadLetterLabel)).toEqual([
      'event_not_json',
      'handler_failed',
      'handler_failed',
      'handler_failed',
    ]);
  });
});

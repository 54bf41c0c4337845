import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS, topicsOf } from '../../libs/events/src';
import { EmbeddedLog } from '../../libs/log/src';
import { MetricsText } from './metrics.text';
import { installedWithSink } from '../installations/installed';
import { Lettermill, waitFor } from '../installations/lettermill';

const readFile = (path: string) => readFileSync(join(__dirname, '..', '..', path), 'utf8');
/** The labels that are allowed: the number of their values does not grow with accounts, addresses or messages. */
const ALLOWED_LABELS = [
  'service',
  'size',
  'reason',
  'method',
  'route',
  'status',
  'topic',
  'type',
  'partition',
  'code',
  'outcome',
  'dependency',
  'result',
  'hop',
  'domain',
  'state',
  'stage',
];

describe('the metrics of a process', () => {
  const RETRY_DELAYS = '600';
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', RETRY_DELAYS });
  beforeAll(() => lettermill.launch('order'));

  const readMetrics = async (of = lettermill) =>
    new MetricsText((await of.call<string>('GET', '/metrics')).body as unknown as string);
  const waitForMetrics = (look: (seen: MetricsText) => boolean, what: string, of = lettermill) =>
    waitFor(
      async () => {
        const seen = await readMetrics(of);
        return look(seen) ? seen : undefined;
      },
      what,
      60_000,
    );

  it('begin at 0 for every known outcome and fault', async () => {
    const seen = await readMetrics();
    const hop = new URL(sink.url).host;
    for (const outcome of ['sent', 'deferred', 'bounced', 'failed', 'unknown'])
      expect([outcome, seen.sumOf('lettermill_dispatch_attempts_total', { hop, outcome })]).toEqual([outcome, 0]);
    const letters = (service: string) => seen.samplesOf('lettermill_dead_letters_total', { service });
    expect(letters('dispatch').map(({ labels, value }) => [labels.topic, labels.code, value])).toContainEqual([
      'message-queued',
      'event_not_json',
      0,
    ]);
    const failed = { service: 'tracker', type: 'MessageFailed' };
    expect(seen.sumOf('lettermill_events_handled_total', failed)).toBe(0);
    expect(seen.sumOf('lettermill_log_append_faults_total', { service: 'gateway', code: 'log_failed' })).toBe(0);
    expect(seen.sumOf('lettermill_dispatch_hop_up', { hop })).toBe(1);
  });

  it('begin with a value of each counter that an alert asks for: it would miss the first increase', async () => {
    const asked = readFile('observability/prometheus/lettermill.rules.yml').match(/\blettermill_\w+_total\b/g)!;
    expect(new Set(asked).size).toBeGreaterThan(5);
    const seen = await readMetrics();
    expect(asked.filter((name) => seen.samplesOf(name).length === 0)).toEqual([]);
  });

  it('count requests and accepted, rendered and sent messages, with durations', async () => {
    const to = ['a@example.com', 'b@example.com', 'refused-c@example.com', 'full-d@example.com'];
    expect((await lettermill.send({ campaign: 'order', to })).status).toBe(202);
    expect((await lettermill.send({ campaign: 'order', to: 'e@example.com' })).status).toBe(202);
    expect((await lettermill.send({ campaign: 'nowhere', to: 'f@example.com' })).status).toBe(422);
    // An attempt that takes longer than a moment has an event while it runs, in addition to these.
    const outcomes = { MessageSent: 3, MessageBounced: 1, MessageDeferred: 1 };
    const done = (now: MetricsText) =>
      Object.entries(outcomes).every(
        ([type, count]) => now.sumOf('lettermill_events_handled_total', { service: 'tracker', type }) === count,
      ) && now.samplesOf('lettermill_consumer_lag').every(({ value }) => value === 0);
    const seen = await waitForMetrics(done, 'all that was sent to be handled');

    const requestsWith = (status: string) =>
      seen.sumOf('lettermill_http_request_seconds_count', { service: 'gateway', route: '/v2/send/email', status });
    expect([requestsWith('202'), requestsWith('422')]).toEqual([2, 1]);
    expect(seen.sumOf('lettermill_messages_accepted_total')).toBe(5);
    const handled = (service: string, type: string) => seen.sumOf('lettermill_events_handled_total', { service, type });
    expect(handled('contacts', 'MessageRequested')).toBe(5);
    expect(handled('renderer', 'ContactUpserted')).toBe(5);
    expect(handled('dispatch', 'MessageQueued')).toBe(5);
    expect(handled('tracker', 'MessageSent')).toBe(3);
    expect(seen.sumOf('lettermill_consumer_position', { service: 'dispatch' })).toBe(5);
    expect(seen.sumOf('lettermill_message_queued_seconds_count')).toBe(5);
    expect(seen.sumOf('lettermill_message_sent_seconds_count')).toBe(3);
    expect(seen.sumOf('lettermill_message_sent_seconds_sum')).toBeGreaterThan(0);
    const attempts = (outcome: string) => seen.sumOf('lettermill_dispatch_attempts_total', { outcome });
    expect(['sent', 'bounced', 'deferred'].map(attempts)).toEqual([3, 1, 1]);
    const byHop = seen.sumOf('lettermill_dispatch_attempts_total', { hop: new URL(sink.url).host, outcome: 'sent' });
    expect(byHop).toBe(3);
    const byDomain = seen.samplesOf('lettermill_dispatch_domain_attempts_total', { outcome: 'sent' });
    expect(byDomain).toEqual([expect.objectContaining({ labels: { domain: 'other', outcome: 'sent' }, value: 3 })]);
    const stage = (name: string) => seen.sumOf('lettermill_dispatch_stage_seconds_count', { stage: name });
    expect([stage('envelope'), stage('content')]).toEqual([5, 3]);
    expect(stage('connect')).toBeGreaterThanOrEqual(1);
    expect(seen.sumOf('lettermill_dispatch_connections')).toBeLessThanOrEqual(stage('connect')!);
    expect(seen.sumOf('lettermill_dispatch_connection_window')).toBeGreaterThanOrEqual(2);
    expect(seen.sumOf('lettermill_dispatch_waiting')).toBe(1);
    expect(seen.sumOf('lettermill_log_append_seconds_count', { service: 'gateway' })).toBe(2);
    expect(seen.sumOf('lettermill_dead_letters_total')).toBe(0);
  });

  it('show the lag, the dependencies and the build of each service', async () => {
    const seen = await readMetrics();
    const topics = (service: string) =>
      seen.samplesOf('lettermill_consumer_lag', { service }).map(({ labels }) => labels.topic);
    expect(new Set(topics('contacts'))).toEqual(new Set([...topicsOf(TOPICS.messageRequested), TOPICS.messageOutcome]));
    expect(topics('dispatch')).toHaveLength(8);
    const labelsOf = (name: string) => seen.samplesOf(name).map(({ labels }) => labels);
    expect(labelsOf('lettermill_consumer_position')).toEqual(labelsOf('lettermill_consumer_lag'));
    const up = seen.samplesOf('lettermill_dependency_up');
    expect(up).toHaveLength(15);
    expect(up.every(({ value }) => value === 1)).toBe(true);
    const { version } = JSON.parse(readFile('package.json')) as { version: string };
    expect(seen.sumOf('lettermill_build_info', { version })).toBe(1);
    expect(seen.sumOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('have no labels that grow with accounts, addresses or messages', async () => {
    const seen = await readMetrics();
    expect(seen.text).not.toMatch(/@|example\.com/);
    const ours = seen.samples.filter(({ name }) => name.startsWith('lettermill_'));
    const labels = new Set(ours.flatMap((sample) => Object.keys(sample.labels)));
    expect([...labels].filter((label) => ![...ALLOWED_LABELS, 'version', 'le'].includes(label))).toEqual([]);
  });

  it('count refusals by the rate limit, and dead letters by code', async () => {
    await lettermill.stop('SIGTERM');
    const directory = join(lettermill.dataDir, 'log');
    const log = await EmbeddedLog.open({ directory, retention: { days: 0, keepWhole: [] }, onFatal: () => {} });
    const headers = { ce_id: 'poison', ce_type: 'MessageQueued' };
    await log.append([{ topic: TOPICS.messageQueued, key: 'k', headers, value: '{"oops' }]);
    await log.close();
    const limited = await Lettermill.create({
      SMTP_URL: sink.url,
      RETRY_DELAYS,
      RATE_LIMIT: '1/3600',
      DATA_DIR: lettermill.dataDir,
    });
    try {
      await limited.start();
      for (let i = 0; i < 3; i += 1) await limited.send({ campaign: 'order', to: 'late@example.com' });
      const seen = await waitForMetrics(
        (now) => now.sumOf('lettermill_dead_letters_total') === 2,
        'the dead letters',
        limited,
      );
      const where = { topic: 'message-queued', code: 'event_not_json' };
      expect(seen.sumOf('lettermill_dead_letters_total', { service: 'dispatch', ...where })).toBe(1);
      expect(seen.sumOf('lettermill_http_request_seconds_count', { status: '429' })).toBeGreaterThanOrEqual(2);
    } finally {
      await limited.destroy();
    }
    await lettermill.start();
  }, 180_000);

  describe('by name', () => {
    // A name that is followed by a hyphen is a volume of Compose.
    const named = (text: string) => [...new Set(text.match(/\b(lettermill|nodejs|process)_[a-z0-9_]+\b(?!-)/g))];
    it.each([
      'observability/prometheus/lettermill.rules.yml',
      'observability/grafana/dashboards/lettermill.json',
      'docs/monitoring.md',
    ])('include all that %s uses', async (path) => {
      const { names } = await readMetrics();
      const asked = named(readFile(path));
      expect(asked.length).toBeGreaterThan(5);
      expect(asked.filter((name) => !names.has(name) && !name.endsWith('_'))).toEqual([]);
    });

    it('are all explained in docs/monitoring.md', async () => {
      const page = readFile('docs/monitoring.md');
      const ours = [...(await readMetrics()).names].filter((name) => name.startsWith('lettermill_'));
      const parts = /_(bucket|sum|count)$/;
      expect(ours.filter((name) => !parts.test(name) && !page.includes(`\`${name}\``))).toEqual([]);
    });
  });
});

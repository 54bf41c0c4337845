import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttemptOutcome, CATALOG } from '@lettermill/events';
import { SERVICES } from '@lettermill/config';
import { register } from 'prom-client';
import { startProcessMetrics } from '../../libs/runtime/src';
import { readPromql, type Selector } from './promql';

const ROOT = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Labels that Prometheus itself adds to every sample. */
const TARGET_LABELS = ['job', 'instance'];

interface Metric {
  name: string;
  kind: string;
  labels: string[];
}

/** The files that define metrics: all that import prom-client, so that no new one is forgotten. */
function definingFiles(): string[] {
  const sources = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return sources.filter((path) => /(?<!\.(spec|d))\.ts$/.test(path) && read(path).includes("from 'prom-client'"));
}

/** Every metric that is defined, whether or not anything was counted yet. */
function definedMetrics(): Metric[] {
  for (const path of definingFiles()) jest.requireActual(join(ROOT, path));
  startProcessMetrics('0');
  return (register.getMetricsAsArray() as object[]).map((metric) => {
    const { name, type, labelNames, options } = metric as Record<string, unknown> & {
      options?: Record<string, unknown>;
    };
    const kind = (type as string | undefined) ?? metric.constructor.name.toLowerCase();
    return { name: name as string, kind, labels: ((labelNames ?? options?.labelNames ?? []) as string[]).slice() };
  });
}

interface Panel {
  title: string;
  panels?: Panel[];
  targets?: { expr: string; legendFormat?: string }[];
}

const panelsOf = (panels: Panel[]): Panel[] => panels.flatMap((panel) => [panel, ...panelsOf(panel.panels ?? [])]);
const captures = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, label]) => label!);

const alerts = read('observability/prometheus/lettermill.rules.yml')
  .split('- alert: ')
  .slice(1)
  .map((block) => ({
    where: /^\w+/.exec(block)![0],
    block,
    expr: /expr: (?:'(.*)'|\|\n((?: {10}.*\n)+))/.exec(block)!.slice(1).find(Boolean)!,
    told: captures(block, /\$labels\.(\w+)/g),
  }));
const { panels } = JSON.parse(read('observability/grafana/dashboards/lettermill.json')) as { panels: Panel[] };
const queries = panelsOf(panels).flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat = '' }) => ({
    where: title,
    expr: expr.replaceAll('$__rate_interval', '5m'),
    told: captures(legendFormat, /\{\{\s*(\w+)\s*\}\}/g),
  })),
);

describe('metrics, alerts and dashboard', () => {
  const metrics = definedMetrics();
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  const labelsOf = ({ name }: Selector): string[] | undefined => {
    const part = /^(.*)_(bucket|sum|count)$/.exec(name);
    const histogram = part ? byName.get(part[1]!) : undefined;
    if (histogram?.kind === 'histogram')
      return [...histogram.labels, ...TARGET_LABELS, ...(part![2] === 'bucket' ? ['le'] : [])];
    if (name === 'up') return TARGET_LABELS;
    return byName.has(name) && byName.get(name)!.kind !== 'histogram'
      ? [...byName.get(name)!.labels, ...TARGET_LABELS]
      : undefined;
  };
  const allQueries = [...alerts, ...queries].map((one): [string, (typeof queries)[number]] => [one.where, one]);

  it('have more than a few queries', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(queries.length).toBeGreaterThan(20);
  });

  it.each(allQueries)('query only metrics and labels that exist: %s', (_, { expr, told }) => {
    const { selectors, groups } = readPromql(expr);
    expect(selectors.filter((selector) => !labelsOf(selector)).map(({ name }) => name)).toEqual([]);
    for (const selector of selectors)
      expect(selector.matchers.filter(({ label }) => !labelsOf(selector)!.includes(label))).toEqual([]);
    for (const { labels, of } of groups)
      for (const selector of of) expect(labels.filter((label) => !labelsOf(selector)!.includes(label))).toEqual([]);
    const left =
      groups.length > 0 ? groups.flatMap(({ labels }) => labels) : selectors.flatMap((one) => labelsOf(one)!);
    expect(told.filter((label) => !left.includes(label))).toEqual([]);
  });

  it.each(allQueries)('query only our metrics, by known values of labels: %s', (_, { expr }) => {
    const known: Record<string, string[]> = {
      service: [...SERVICES],
      outcome: AttemptOutcome.anyOf.map((one) => one.const),
      type: Object.keys(CATALOG),
      job: ['lettermill'],
    };
    for (const { name, matchers } of readPromql(expr).selectors) {
      // Other programs report metrics of Node, too.
      if (!name.startsWith('lettermill_'))
        expect(matchers).toContainEqual({ label: 'job', operator: '=', value: 'lettermill' });
      for (const { label, value, operator } of matchers)
        if (Object.hasOwn(known, label) && !operator.includes('~')) expect(known[label]).toContain(value);
    }
  });

  it('leave out probes and scrapes where they judge calls', () => {
    const judged = allQueries
      .flatMap(([, { expr }]) => readPromql(expr).selectors)
      .filter(({ name }) => name.startsWith('lettermill_http_request_seconds'));
    expect(judged.length).toBeGreaterThan(4);
    for (const { matchers } of judged) {
      const { operator, value } = matchers.find(({ label }) => label === 'route')!;
      const takes = (route: string) =>
        operator === '=' ? route === value : !new RegExp(`^(?:${value})$`).test(route) === (operator === '!~');
      const routes = ['/health/live', '/health/ready', '/metrics', '/v2/send/email'];
      expect(routes.filter(takes)).toEqual(['/v2/send/email']);
    }
  });

  it('include events before the first scrape in alerts for which one event is enough', () => {
    const immediateAlerts = alerts.filter(({ block }) => /for: 0m/.test(block) && /increase\(/.test(block));
    expect(immediateAlerts.map(({ where }) => where)).toEqual(['LettermillDeadLetters', 'LettermillAttemptsUnknown']);
    for (const { expr } of immediateAlerts) {
      const { name } = readPromql(expr).selectors[0]!;
      const young = String.raw`\(time\(\) - process_start_time_seconds\{job="lettermill"\} < 900\)`;
      expect(expr).toMatch(new RegExp(String.raw`${name}(\{[^}]*\})?\s+and on \(job, instance\) ${young}`));
      expect(expr).toContain('[15m]');
    }
  });

  it('have a promtool test of each alert', () => {
    const tried = captures(read('observability/prometheus/lettermill.rules.test.yml'), /alertname="(\w+)"/g);
    expect([...new Set(tried)].sort()).toEqual(alerts.map(({ where }) => where).sort());
  });

  it('have a section of docs/monitoring.md for each alert, which names it', () => {
    const sections = captures(read('docs/monitoring.md'), /^### (Lettermill\w+)$/gm);
    expect(sections.sort()).toEqual(alerts.map(({ where }) => where).sort());
    for (const { where, block } of alerts)
      expect(captures(block, /runbook: docs\/monitoring\.md#(\w+)$/gm)).toEqual([where.toLowerCase()]);
  });

  it.each(alerts)('give each alert a severity: $where', ({ block }) => {
    expect(block).toMatch(/severity: (page|ticket)/);
  });

  it("are described in docs/monitoring.md with each metric's kind and labels", () => {
    const rows = [...read('docs/monitoring.md').matchAll(/^\| `(lettermill_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)];
    const told = rows.map(([, name, kind, labels]) => [
      name,
      kind,
      labels!
        .split(',')
        .map((label) => label.trim())
        .join(),
    ]);
    const ours = metrics.filter(({ name }) => name.startsWith('lettermill_'));
    expect(told.sort()).toEqual(ours.map(({ name, kind, labels }) => [name, kind, labels.join()]).sort());
  });

  it.each([
    'sum(rate(lettermill_x_total[5m])',
    'sum by (service (up)',
    'rate(lettermill_x_total)',
    'up[5m] > 0 extra',
    'sum(up[5m])',
    'nonsense(up)',
    'up{job=lettermill}',
    'up offset soon',
    'up and',
  ])('cannot contain the malformed query %s', (expr) => expect(() => readPromql(expr)).toThrow());
});

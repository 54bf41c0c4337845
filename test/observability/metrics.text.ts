/** Metrics in Prometheus' text format, accessible by name and labels. */
export class MetricsText {
  /** Every metric in the text, whether or not it has a value yet. */
  readonly names = new Set<string>();
  readonly samples: { name: string; labels: Record<string, string>; value: number }[] = [];

  constructor(readonly text: string) {
    for (const line of text.split('\n')) {
      const [, metric, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
      if (metric) this.addName(metric, type!);
      const [, name, labels, value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (!name) continue;
      const pairs = [...(labels ?? '').matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]);
      this.samples.push({ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) });
    }
  }

  /** The sum of the samples that have these labels; undefined if there is none. */
  sumOf(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.samplesOf(name, labels);
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  samplesOf(name: string, labels: Record<string, string> = {}) {
    const wanted = Object.entries(labels);
    return this.samples.filter((one) => one.name === name && wanted.every(([label, is]) => one.labels[label] === is));
  }

  private addName(metric: string, type: string): void {
    this.names.add(metric);
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) this.names.add(`${metric}_${part}`);
  }
}

import { register, type Metric } from 'prom-client';

type LabelValue = string | number;

export interface DurationsOptions {
  name: string;
  help: string;
  labelNames: string[];
  /** Upper bounds in seconds, ascending. */
  buckets: number[];
}

/** The observations with one set of labels. */
class Series {
  /** Observations by the first bound that they do not exceed; the last count is for those that exceed all. */
  readonly counts: number[];
  sum = 0;

  constructor(
    readonly labels: Record<string, LabelValue>,
    private readonly bounds: number[],
  ) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && seconds > bounds[i]!) i += 1;
    this.counts[i]! += 1;
    this.sum += seconds;
  }
}

interface Branch {
  below: Map<LabelValue, Branch>;
  series?: Series;
}

/**
 * A histogram for what happens with every request. It finds the series of a set of labels by their values, while
 * prom-client's own histogram validates the labels and joins them into a text each time.
 */
export class Durations {
  readonly type = 'histogram';
  readonly name: string;
  private readonly root: Branch = { below: new Map() };
  private readonly all: Series[] = [];

  constructor(private readonly options: DurationsOptions) {
    this.name = options.name;
    register.registerMetric(this as unknown as Metric);
  }

  /** The series of these `values`, in the order of `labelNames`. It is always the same object, so callers may keep it. */
  labels(...values: LabelValue[]): Series {
    let branch = this.root;
    for (const value of values) {
      let next = branch.below.get(value);
      if (!next) branch.below.set(value, (next = { below: new Map() }));
      branch = next;
    }
    return (branch.series ??= this.begin(values));
  }

  /** Called by the registry. */
  get(): object {
    const { name, help } = this.options;
    return { name, help, type: this.type, aggregator: 'sum', values: this.all.flatMap((one) => this.valuesOf(one)) };
  }

  private begin(values: LabelValue[]): Series {
    const { labelNames, buckets } = this.options;
    const series = new Series(Object.fromEntries(labelNames.map((name, i) => [name, values[i]!])), buckets);
    this.all.push(series);
    return series;
  }

  private valuesOf({ labels, counts, sum }: Series): object[] {
    let total = 0;
    const buckets = counts.map((count, i) => {
      total += count;
      return {
        metricName: `${this.name}_bucket`,
        labels: { le: this.options.buckets[i] ?? '+Inf', ...labels },
        value: total,
      };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: total },
    ];
  }
}

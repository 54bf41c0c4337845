import { register } from 'prom-client';

/** A metric, created once per process however many modules ask for it: `metricOnce(Counter<'result'>, { name, help, labelNames })`. */
export function metricOnce<C extends { name: string }, M>(Metric: new (configuration: C) => M, configuration: C): M {
  return (register.getSingleMetric(configuration.name) as M | undefined) ?? new Metric(configuration);
}

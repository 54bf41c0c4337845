import { register } from 'prom-client';

/** A metric, made once per process however many modules ask: `once(Counter<'result'>, { name, help, labelNames })`. */
export function once<C extends { name: string }, M>(Metric: new (configuration: C) => M, configuration: C): M {
  return (register.getSingleMetric(configuration.name) as M | undefined) ?? new Metric(configuration);
}

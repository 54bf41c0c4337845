import { withTimeout } from '@lettermill/concurrency';

/** Resolves if the dependency can be used, and rejects otherwise. */
export type Probe = () => Promise<void>;

/** The dependencies of a service, by name. */
export type Probes = Record<string, Probe>;

export const PROBES = Symbol('Probes');

/**
 * A probe that takes at most `ms` and runs once at a time, because anybody may call it, however often. Callers that come while it runs
 * share its result, so they do not wait longer either.
 */
export function sharedProbe(probe: Probe, ms: number): Probe {
  let running: Promise<void> | undefined;
  return () => (running ??= withTimeout(ms, probe()).finally(() => (running = undefined)));
}

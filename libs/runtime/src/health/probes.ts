import { inTime } from '@lettermill/concurrency';

/** Answers, or rejects when what it asks can't be used. */
export type Probe = () => Promise<void>;

/** What a service stands on, by name. */
export type Probes = Record<string, Probe>;

export const PROBES = Symbol('Probes');

/**
 * A probe that waits no longer than `ms`, and is under way once, however many ask: anybody may. Who comes meanwhile is told the same, so
 * that nobody waits longer either.
 */
export function answeredOnce(probe: Probe, ms: number): Probe {
  let underWay: Promise<void> | undefined;
  return () => (underWay ??= inTime(ms, probe()).finally(() => (underWay = undefined)));
}

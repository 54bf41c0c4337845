/** Resolves if the dependency can be used, and rejects otherwise. */
export type Probe = () => Promise<void>;

/** The dependencies of a service, by name. */
export type Probes = Record<string, Probe>;

export const PROBES = Symbol('Probes');

/**
 * A probe that runs once at a time, because anybody may call it, however often: one that hangs must not be started again and again. Callers
 * that come while it runs share its result; each limits by itself how long it waits.
 */
export function sharedProbe(probe: Probe): Probe {
  let running: Promise<void> | undefined;
  return () => (running ??= probe().finally(() => (running = undefined)));
}

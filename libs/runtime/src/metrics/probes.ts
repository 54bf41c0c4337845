import { withTimeout } from '@lettermill/concurrency';
import type { EventLog } from '@lettermill/log';
import { Gauge } from 'prom-client';

/** A scrape waits at most this long for a dependency. */
const PROBE_TIMEOUT_MS = 1_500;

/** What a scrape checks for one service of this process. */
export interface ServiceProbe {
  service: string;
  log: EventLog;
  /** Topics that the service reads as a group. */
  topics: string[];
  /** Its dependencies; a check rejects while the dependency is unavailable. */
  needs: Record<string, () => Promise<void>>;
}

const probes = new Set<ServiceProbe>();

const consumerLag = new Gauge({
  name: 'lettermill_consumer_lag',
  help: 'Records that a service has not handled yet; all its replicas report the same',
  labelNames: ['service', 'topic', 'partition'],
  collect: async () => {
    // Leave out what cannot be determined: an old value would look healthy.
    const found = await Promise.all([...probes].map(async (probe) => ({ probe, positions: await positionsOf(probe) })));
    consumerLag.reset();
    for (const { probe, positions } of found) {
      for (const { topic, partition, lag: left } of positions)
        consumerLag.set({ service: probe.service, topic, partition }, left);
    }
  },
});

const dependencyUp = new Gauge({
  name: 'lettermill_dependency_up',
  help: 'Whether a dependency of the service answers: 1 or 0',
  labelNames: ['service', 'dependency'],
  collect: async () => {
    const all = [...probes].flatMap(({ service, needs }) =>
      Object.entries(needs).map(async ([dependency, check]) => {
        const answers = await withTimeout(PROBE_TIMEOUT_MS, check()).then(
          () => 1,
          () => 0,
        );
        return { service, dependency, answers };
      }),
    );
    const found = await Promise.all(all);
    dependencyUp.reset();
    for (const { service, dependency, answers } of found) dependencyUp.set({ service, dependency }, answers);
  },
});

/** Returns a function that removes the probe. */
export function addProbe(probe: ServiceProbe): () => void {
  probes.add(probe);
  return () => void probes.delete(probe);
}

function positionsOf({ log, service, topics }: ServiceProbe) {
  return withTimeout(PROBE_TIMEOUT_MS, log.positions(service, topics)).catch(() => []);
}

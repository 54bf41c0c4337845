import { withTimeout } from '@lettermill/concurrency';
import type { EventLog, GroupPosition } from '@lettermill/log';
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

/** Where one service stands in its topics; undefined if that cannot be read in time. */
interface Standing {
  service: string;
  positions: GroupPosition[] | undefined;
}

/** In progress; the gauges of one scrape share it. */
let reading: Promise<Standing[]> | undefined;

function positionGauge(name: string, help: string, valueOf: (position: GroupPosition) => number): void {
  const labelNames = ['service', 'topic', 'partition'] as const;
  const gauge: Gauge<(typeof labelNames)[number]> = new Gauge({
    name,
    help,
    labelNames,
    collect: async () => {
      const found = await readStandings();
      // Leave out what cannot be determined: an old value would look healthy.
      gauge.reset();
      for (const { service, positions = [] } of found) {
        for (const position of positions) {
          const { topic, partition } = position;
          gauge.set({ service, topic, partition }, valueOf(position));
        }
      }
    },
  });
}

positionGauge(
  'lettermill_consumer_lag',
  'Records that a service has not handled yet; all its replicas report the same',
  ({ lag }) => lag,
);

positionGauge(
  'lettermill_consumer_position',
  'Offset of the first record that a service has not handled yet; all its replicas report the same',
  ({ committed }) => committed,
);

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
    const [found, standings] = await Promise.all([Promise.all(all), readStandings()]);
    dependencyUp.reset();
    for (const { service, dependency, answers } of found) dependencyUp.set({ service, dependency }, answers);
    // Brokers may answer although none of them knows the group: without this, a lag that is left out would alert nobody.
    for (const { service, positions } of standings) if (!positions) dependencyUp.set({ service, dependency: 'log' }, 0);
  },
});

/** Returns a function that removes the probe. */
export function addProbe(probe: ServiceProbe): () => void {
  probes.add(probe);
  return () => void probes.delete(probe);
}

function readStandings(): Promise<Standing[]> {
  reading ??= standingsNow().finally(() => (reading = undefined));
  return reading;
}

function standingsNow(): Promise<Standing[]> {
  const all = [...probes].map(async ({ log, service, topics }) => {
    const positions = withTimeout(PROBE_TIMEOUT_MS, log.positions(service, topics));
    return { service, positions: await positions.catch(() => undefined) };
  });
  return Promise.all(all);
}

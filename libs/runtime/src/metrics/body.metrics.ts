import { Counter, Gauge } from 'prom-client';

const bytesInHand = new Gauge({
  name: 'lettermill_bodies_in_hand_bytes',
  help: 'Memory for bodies over 64 KiB: middle up to 1 MiB, large above',
  labelNames: ['service', 'size'],
});

const refusals = new Counter({
  name: 'lettermill_bodies_refused_total',
  help: 'Bodies refused because there was no room in time, or because they arrived slowly while others waited',
  labelNames: ['service', 'reason'],
});

/** Metrics of the request bodies that a service holds in memory. */
export interface BodyMetrics {
  bytes(size: 'middle' | 'large', taken: number): void;
  refused(reason: 'no_room' | 'slow'): void;
}

export function bodyMetrics(service: string): BodyMetrics {
  for (const size of ['middle', 'large']) bytesInHand.set({ service, size }, 0);
  for (const reason of ['no_room', 'slow']) refusals.inc({ service, reason }, 0);
  return {
    bytes: (size, taken) => bytesInHand.set({ service, size }, taken),
    refused: (reason) => refusals.inc({ service, reason }),
  };
}

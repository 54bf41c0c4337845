import type { DueDelivery } from '../deliveries/deliveries.store';

/**
 * The due deliveries, beginning at another place; those of the most urgent priority still come first. Replicas that all take the queue from
 * its head lose half of their claims to each other, or more, because they keep meeting there. `random` is in [0, 1).
 */
export function rotateMostUrgent(due: DueDelivery[], random: number): DueDelivery[] {
  const end = due.findIndex(({ priority }) => priority !== due[0]!.priority);
  const alike = end < 0 ? due.length : end;
  const at = Math.floor(random * alike);
  return [...due.slice(at, alike), ...due.slice(0, at), ...due.slice(alike)];
}

import type { DueDelivery } from '../deliveries/deliveries.store';

/**
 * The due deliveries from another place on, those of the first priority still first. Replicas that take the queue from its head lose
 * half of their claims to each other and more: they meet at each. `random` is at least 0 and below 1.
 */
export function elsewhere(due: DueDelivery[], random: number): DueDelivery[] {
  const end = due.findIndex(({ priority }) => priority !== due[0]!.priority);
  const alike = end < 0 ? due.length : end;
  const at = Math.floor(random * alike);
  return [...due.slice(at, alike), ...due.slice(0, at), ...due.slice(alike)];
}

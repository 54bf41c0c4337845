import { UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppressed, Suppression } from '../suppressions/suppressions.store';

/** A simple model of what a store keeps of one address, to compare the adapters with. */
export interface SuppressionModel {
  cause: Suppression;
  /** The unsubscription behind a stronger cause. */
  beside: Suppression | null;
  /** Null while it is suppressed. */
  releasedAt: number | null;
  /** Time of the last release of either. */
  clearedAt: number;
}

export function added(model: SuppressionModel | undefined, one: Suppression): SuppressionModel {
  if (!model) return { cause: one, beside: null, releasedAt: null, clearedAt: -1 };
  const { cause, beside, clearedAt } = model;
  if (one.at <= clearedAt) return model;
  if (model.releasedAt !== null) return { cause: one, beside: null, releasedAt: null, clearedAt };
  if (one.reason === UNSUBSCRIBED) return cause.reason === UNSUBSCRIBED ? model : { ...model, beside: beside ?? one };
  return cause.reason === UNSUBSCRIBED ? { ...model, cause: one, beside: cause } : model;
}

export function released(
  model: SuppressionModel | undefined,
  now: number,
  reason?: string,
): SuppressionModel | undefined {
  if (!model || model.releasedAt !== null || model.cause.reason !== (reason ?? model.cause.reason)) return model;
  if (model.beside) return { cause: model.beside, beside: null, releasedAt: null, clearedAt: now };
  return { ...model, releasedAt: now, clearedAt: now };
}

/** The suppression as the store shows it; undefined if the address is not suppressed. */
export function shown(model: SuppressionModel | undefined): Suppressed | undefined {
  if (!model || model.releasedAt !== null) return undefined;
  const { cause, beside } = model;
  return { ...cause, unsubscribedAt: cause.reason === UNSUBSCRIBED ? cause.at : (beside?.at ?? null) };
}

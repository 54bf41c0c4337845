import { UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppressed, Suppression } from '../suppressions/suppressions.store';

/** A simple model of what a store keeps of one address, to compare the adapters with. */
export interface Modelled {
  cause: Suppression;
  /** The unsubscription behind a stronger cause. */
  beside: Suppression | null;
  /** Null while it is suppressed. */
  releasedAt: number | null;
  /** Time of the last release of either. */
  clearedAt: number;
}

export function added(kept: Modelled | undefined, one: Suppression): Modelled {
  if (!kept) return { cause: one, beside: null, releasedAt: null, clearedAt: -1 };
  const { cause, beside, clearedAt } = kept;
  if (one.at <= clearedAt) return kept;
  if (kept.releasedAt !== null) return { cause: one, beside: null, releasedAt: null, clearedAt };
  if (one.reason === UNSUBSCRIBED) return cause.reason === UNSUBSCRIBED ? kept : { ...kept, beside: beside ?? one };
  return cause.reason === UNSUBSCRIBED ? { ...kept, cause: one, beside: cause } : kept;
}

export function released(kept: Modelled | undefined, now: number): Modelled | undefined {
  if (!kept || kept.releasedAt !== null) return kept;
  if (kept.beside) return { cause: kept.beside, beside: null, releasedAt: null, clearedAt: now };
  return { ...kept, releasedAt: now, clearedAt: now };
}

/** The suppression as the store shows it; undefined if the address is not suppressed. */
export function shown(kept: Modelled | undefined): Suppressed | undefined {
  if (!kept || kept.releasedAt !== null) return undefined;
  const { cause, beside } = kept;
  return { ...cause, unsubscribedAt: cause.reason === UNSUBSCRIBED ? cause.at : (beside?.at ?? null) };
}

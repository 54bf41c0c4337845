import { COMPLAINED, UNSUBSCRIBED } from '../suppressions/suppression';
import { MAX_REMEMBERED_EVENTS, type Suppressed, type Suppression } from '../suppressions/suppressions.store';

/** A simple model of what a store keeps of one address, to compare the adapters with. */
export interface SuppressionModel {
  cause: Suppression;
  /** The unsubscription behind a stronger cause. */
  beside: Suppression | null;
  /** Null while it is suppressed. */
  releasedAt: number | null;
  /** Time of the last release of either. */
  clearedAt: number;
  /** Time of the last release that left complaints to count. */
  bouncesClearedAt: number;
  eventIds: string[];
}

export function added(model: SuppressionModel | undefined, one: Suppression): SuppressionModel {
  const { eventId } = one;
  if (!model) {
    const eventIds = eventId === undefined ? [] : [eventId];
    return { cause: one, beside: null, releasedAt: null, clearedAt: -1, bouncesClearedAt: -1, eventIds };
  }
  if (eventId === undefined) return counted(model, one);
  if (model.eventIds.includes(eventId)) return model;
  return { ...counted(model, one), eventIds: [...model.eventIds, eventId].slice(-MAX_REMEMBERED_EVENTS) };
}

function counted(model: SuppressionModel, one: Suppression): SuppressionModel {
  const { cause, clearedAt, bouncesClearedAt } = model;
  const isComplaint = one.reason === COMPLAINED;
  if (one.at <= (isComplaint ? clearedAt : Math.max(clearedAt, bouncesClearedAt))) return model;
  if (model.releasedAt !== null) return { ...model, cause: one, beside: null, releasedAt: null };
  if (cause.reason === UNSUBSCRIBED)
    return one.reason === UNSUBSCRIBED ? model : { ...model, cause: one, beside: cause };
  if (one.reason === UNSUBSCRIBED) return { ...model, beside: model.beside ?? one };
  return isComplaint && cause.reason !== COMPLAINED ? { ...model, cause: one } : model;
}

export function released(
  model: SuppressionModel | undefined,
  now: number,
  reason?: string,
): SuppressionModel | undefined {
  if (!model || model.releasedAt !== null || model.cause.reason !== (reason ?? model.cause.reason)) return model;
  const clears = reason === undefined || reason === COMPLAINED ? { clearedAt: now } : { bouncesClearedAt: now };
  if (model.beside) return { ...model, ...clears, cause: model.beside, beside: null };
  return { ...model, ...clears, releasedAt: now };
}

/** The suppression as the store shows it; undefined if the address is not suppressed. */
export function shown(model: SuppressionModel | undefined): Suppressed | undefined {
  if (!model || model.releasedAt !== null) return undefined;
  const { beside } = model;
  const { eventId: _, ...cause } = model.cause;
  return { ...cause, unsubscribedAt: cause.reason === UNSUBSCRIBED ? cause.at : (beside?.at ?? null) };
}

import { COMPLAINED, MANUAL, UNSUBSCRIBED } from '../suppressions/suppression';
import { MAX_REMEMBERED_EVENTS, type Suppressed, type Suppression } from '../suppressions/suppressions.store';

/** A simple model of what a store keeps of one address, to compare the adapters with. */
export interface SuppressionModel {
  /** What it shows, then what is kept behind that. */
  causes: Suppression[];
  /** Null while it is suppressed. */
  releasedAt: number | null;
  /** Time of the last release of either. */
  clearedAt: number;
  /** Time of the last release that left complaints to count. */
  bouncesClearedAt: number;
  eventIds: string[];
}

const BOUNCE = 'bounce';
const STRONGEST_FIRST = [COMPLAINED, BOUNCE, MANUAL, UNSUBSCRIBED];
const KEPT_BEHIND = [MANUAL, UNSUBSCRIBED];
const kindOf = ({ reason }: Suppression) => (STRONGEST_FIRST.includes(reason) ? reason : BOUNCE);

export function added(model: SuppressionModel | undefined, one: Suppression): SuppressionModel {
  const { eventId } = one;
  if (!model) {
    const eventIds = eventId === undefined ? [] : [eventId];
    return { causes: [one], releasedAt: null, clearedAt: -1, bouncesClearedAt: -1, eventIds };
  }
  if (eventId === undefined) return counted(model, one);
  if (model.eventIds.includes(eventId)) return model;
  return { ...counted(model, one), eventIds: [...model.eventIds, eventId].slice(-MAX_REMEMBERED_EVENTS) };
}

function counted(model: SuppressionModel, one: Suppression): SuppressionModel {
  const { causes, clearedAt, bouncesClearedAt } = model;
  if (one.at <= (one.reason === COMPLAINED ? clearedAt : Math.max(clearedAt, bouncesClearedAt))) return model;
  if (model.releasedAt !== null) return { ...model, causes: [one], releasedAt: null };
  if (causes.some((cause) => kindOf(cause) === kindOf(one))) return model;
  const [shown, ...behind] = STRONGEST_FIRST.flatMap((kind) =>
    [...causes, one].filter((cause) => kindOf(cause) === kind),
  );
  return { ...model, causes: [shown!, ...behind.filter(({ reason }) => KEPT_BEHIND.includes(reason))] };
}

export function released(
  model: SuppressionModel | undefined,
  now: number,
  reason?: string,
): SuppressionModel | undefined {
  if (!model || model.releasedAt !== null) return model;
  const [shown, ...behind] = model.causes;
  if (shown!.reason !== (reason ?? shown!.reason)) return model;
  const clears = reason === undefined || reason === COMPLAINED ? { clearedAt: now } : { bouncesClearedAt: now };
  return behind.length > 0 ? { ...model, ...clears, causes: behind } : { ...model, ...clears, releasedAt: now };
}

/** The suppression as the store shows it; undefined if the address is not suppressed. */
export function shown(model: SuppressionModel | undefined): Suppressed | undefined {
  if (!model || model.releasedAt !== null) return undefined;
  const { causes } = model;
  const { eventId: _, ...cause } = causes[0]!;
  const timeOf = (of: string) => causes.find(({ reason }) => reason === of)?.at ?? null;
  return { ...cause, unsubscribedAt: timeOf(UNSUBSCRIBED), manualAt: timeOf(MANUAL) };
}

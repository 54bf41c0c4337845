import { idOf, type BulkOperation, type MongoDriver } from '@lettermill/storage';
import { COMPLAINED, MANUAL, NO_MESSAGE, STRENGTH_OF_BOUNCE, strengthOf, STRENGTHS, UNSUBSCRIBED } from './suppression';
import { MAX_REMEMBERED_EVENTS, type Suppression } from './suppressions.store';

/**
 * A suppression; `_id` is `idOf(account, address)`. A released one is kept, so that an earlier bounce that is read again does not suppress
 * it again.
 */
export interface SuppressionDocument {
  _id: string;
  account_id: string;
  address: string;
  reason: string;
  message_id: string;
  at: number;
  /** Exactly one of these two is set. */
  active?: boolean;
  released_at?: number;
  /** The unsubscription behind a stronger cause. */
  unsubscribed_at?: number;
  unsubscribed_by?: string;
  /** When somebody suppressed the address by hand, behind a stronger cause. No message was the cause of that. */
  manual_at?: number;
  /** Time of the last release; causes from before it do not count again. */
  cleared_at?: number;
  /** As `cleared_at`, of a release of another reason than a complaint: complaints from before it still count. */
  bounces_cleared_at?: number;
  /** The events that named the address last; the same one does not count again. */
  event_ids?: string[];
}

/**
 * Writes that are safe beside those of other processes: the first inserts the suppression if there is none; if there is one, the other
 * decides by what it finds, and remembers the event, in one step.
 */
export function addOperations(one: Suppression): BulkOperation<SuppressionDocument>[] {
  const { accountId, address, reason, messageId, at, eventId } = one;
  const _id = idOf(accountId, address);
  const [events, unknown] =
    eventId === undefined ? [{}, {}] : [{ event_ids: [eventId] }, { event_ids: { $ne: eventId } }];
  const document = { _id, account_id: accountId, address, reason, message_id: messageId, at, active: true, ...events };
  return [
    { insertOne: { document } },
    { updateOne: { filter: { _id: { $eq: _id }, ...unknown }, update: addUpdate(one) } },
  ];
}

/** What the field has, or else the value. */
const orElse = (field: string, value: unknown = '$$REMOVE') => ({ $ifNull: [`$${field}`, value] });

/** The value if the condition holds, else what the field has. */
const valueIf = (condition: object, value: unknown, field: string) => ({ $cond: [condition, value, orElse(field)] });

const isReleased = { $ne: ['$active', true] };
const shows = (reason: string) => ({ $eq: ['$reason', reason] });

const shownStrength = {
  $switch: {
    branches: [...STRENGTHS].map(([reason, strength]) => ({ case: shows(reason), then: strength })),
    default: STRENGTH_OF_BOUNCE,
  },
};

/** Shows a cause that counts, if the address is released or shows a weaker one. What somebody decided is kept behind a stronger cause. */
function addUpdate({ reason, messageId, at, eventId }: Suppression): MongoDriver.Document[] {
  const [cause, message] = [{ $literal: reason }, { $literal: messageId }];
  const clearings = reason === COMPLAINED ? ['$cleared_at'] : ['$cleared_at', '$bounces_cleared_at'];
  const counts = { $and: clearings.map((time) => ({ $lt: [{ $ifNull: [time, -1] }, at] })) };
  const isShown = { $and: [counts, { $or: [isReleased, { $gt: [strengthOf(reason), shownStrength] }] }] };
  /** What a field of a cause that is kept has from now on: what was shown of it, if it is behind now, or what is given and not shown. */
  const kept = (one: string, field: string, shown: string, given: unknown) => {
    const isBehind = one === reason ? { $and: [counts, { $not: [shows(one)] }] } : { $literal: false };
    const withGiven = { $cond: [isBehind, orElse(field, given), orElse(field)] };
    const withShown = { $cond: [shows(one), shown, orElse(field)] };
    return { $cond: [isReleased, '$$REMOVE', { $cond: [isShown, withShown, withGiven] }] };
  };
  const events = { $concatArrays: [orElse('event_ids', []), [{ $literal: eventId }]] };
  return [
    {
      $set: {
        reason: valueIf(isShown, cause, 'reason'),
        message_id: valueIf(isShown, message, 'message_id'),
        at: valueIf(isShown, at, 'at'),
        active: valueIf(isShown, true, 'active'),
        released_at: valueIf(isShown, '$$REMOVE', 'released_at'),
        manual_at: kept(MANUAL, 'manual_at', '$at', at),
        unsubscribed_at: kept(UNSUBSCRIBED, 'unsubscribed_at', '$at', at),
        unsubscribed_by: kept(UNSUBSCRIBED, 'unsubscribed_by', '$message_id', message),
        ...(eventId !== undefined && { event_ids: { $slice: [events, -MAX_REMEMBERED_EVENTS] } }),
      },
    },
  ];
}

/** Removes the cause that the address shows; the strongest of what is behind it is shown then. */
export function releaseUpdate(now: number, reason?: string): MongoDriver.Document[] {
  const hasManual = { $gt: ['$manual_at', null] };
  const hasUnsubscription = { $gt: ['$unsubscribed_at', null] };
  const hasMore = { $or: [hasManual, hasUnsubscription] };
  const leavesComplaints = reason !== undefined && reason !== COMPLAINED;
  return [
    {
      $set: {
        reason: { $cond: [hasManual, MANUAL, { $cond: [hasUnsubscription, UNSUBSCRIBED, '$reason'] }] },
        message_id: { $cond: [hasManual, { $literal: NO_MESSAGE }, orElse('unsubscribed_by', '$message_id')] },
        at: orElse('manual_at', orElse('unsubscribed_at', '$at')),
        active: { $cond: [hasMore, true, '$$REMOVE'] },
        released_at: { $cond: [hasMore, '$$REMOVE', now] },
        unsubscribed_at: { $cond: [hasManual, orElse('unsubscribed_at'), '$$REMOVE'] },
        unsubscribed_by: { $cond: [hasManual, orElse('unsubscribed_by'), '$$REMOVE'] },
        [leavesComplaints ? 'bounces_cleared_at' : 'cleared_at']: now,
      },
    },
    { $unset: ['manual_at'] },
  ];
}

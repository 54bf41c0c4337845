import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import { COMPLAINED, UNSUBSCRIBED } from './suppression';
import {
  MAX_REMEMBERED_EVENTS,
  type AddressRef,
  type Suppressed,
  type Suppression,
  type SuppressionPlace,
  type SuppressionsStore,
} from './suppressions.store';

/**
 * A suppression; `_id` is `idOf(account, address)`. A released one is kept, so that an earlier bounce that is read again does not suppress
 * it again.
 */
interface SuppressionDocument {
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
  /** Time of the last release; causes from before it do not count again. */
  cleared_at?: number;
  /** As `cleared_at`, of a release of another reason than a complaint: complaints from before it still count. */
  bounces_cleared_at?: number;
  /** The events that named the address last; the same one does not count again. */
  event_ids?: string[];
}

const listingIndex = (name: string, ...fields: string[]): MongoDriver.IndexDescription => ({
  name: `contacts_suppression_${name}`,
  key: { account_id: 1, ...Object.fromEntries(fields.map((field) => [field, 1])), at: -1, address: -1 },
  partialFilterExpression: { active: true },
});

const text = { type: String, required: true };

function suppressedOf(document: SuppressionDocument): Suppressed {
  const { account_id, address, reason, message_id, at, unsubscribed_at = null } = document;
  const unsubscribedAt = reason === UNSUBSCRIBED ? at : unsubscribed_at;
  return { accountId: account_id, address, reason, messageId: message_id, at, unsubscribedAt };
}

/**
 * Writes that are safe beside those of other processes: the first inserts the suppression if there is none; if there is one, the other
 * decides by what it finds, and remembers the event, in one step.
 */
function addOperations(one: Suppression): BulkOperation<SuppressionDocument>[] {
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

/** The value if the condition holds, else what the field has. */
const valueIf = (condition: object, value: unknown, field: string) => ({
  $cond: [condition, value, { $ifNull: [`$${field}`, '$$REMOVE'] }],
});

/** Shows a cause that counts, if the address is released or shows a weaker one. An unsubscription is kept beside a stronger cause. */
function addUpdate({ reason, messageId, at, eventId }: Suppression): MongoDriver.Document[] {
  const [cause, message] = [{ $literal: reason }, { $literal: messageId }];
  const clearings = reason === COMPLAINED ? ['$cleared_at'] : ['$cleared_at', '$bounces_cleared_at'];
  const counts = { $and: clearings.map((time) => ({ $lt: [{ $ifNull: [time, -1] }, at] })) };
  const isReleased = { $ne: ['$active', true] };
  const unsubscribed = { $eq: ['$reason', UNSUBSCRIBED] };
  const isOther = { $ne: ['$reason', cause] };
  const isStronger = reason === COMPLAINED ? isOther : { $and: [unsubscribed, isOther] };
  const shows = { $and: [counts, { $or: [isReleased, isStronger] }] };
  const [isBeside, besideAt, besideBy] =
    reason === UNSUBSCRIBED
      ? [{ $and: [counts, { $not: [unsubscribed] }, { $lte: ['$unsubscribed_at', null] }] }, at, message]
      : [{ $and: [shows, unsubscribed] }, '$at', '$message_id'];
  const isKept = { $and: [{ $not: [isReleased] }, isBeside] };
  const events = { $concatArrays: [{ $ifNull: ['$event_ids', []] }, [{ $literal: eventId }]] };
  return [
    {
      $set: {
        reason: valueIf(shows, cause, 'reason'),
        message_id: valueIf(shows, message, 'message_id'),
        at: valueIf(shows, at, 'at'),
        active: valueIf(shows, true, 'active'),
        released_at: valueIf(shows, '$$REMOVE', 'released_at'),
        unsubscribed_at: valueIf(isKept, besideAt, 'unsubscribed_at'),
        unsubscribed_by: valueIf(isKept, besideBy, 'unsubscribed_by'),
        ...(eventId !== undefined && { event_ids: { $slice: [events, -MAX_REMEMBERED_EVENTS] } }),
      },
    },
  ];
}

/** Removes the cause that the address shows; an unsubscription kept beside it shows then. */
function releaseUpdate(now: number, reason?: string): MongoDriver.Document[] {
  const hasUnsubscription = { $gt: ['$unsubscribed_at', null] };
  const leavesComplaints = reason !== undefined && reason !== COMPLAINED;
  return [
    {
      $set: {
        reason: { $cond: [hasUnsubscription, UNSUBSCRIBED, '$reason'] },
        message_id: { $ifNull: ['$unsubscribed_by', '$message_id'] },
        at: { $ifNull: ['$unsubscribed_at', '$at'] },
        active: { $cond: [hasUnsubscription, true, '$$REMOVE'] },
        released_at: { $cond: [hasUnsubscription, '$$REMOVE', now] },
        [leavesComplaints ? 'bounces_cleared_at' : 'cleared_at']: now,
      },
    },
    { $unset: ['unsubscribed_at', 'unsubscribed_by'] },
  ];
}

export class MongooseSuppressionsStore implements SuppressionsStore {
  private readonly suppressions: StoreModel<SuppressionDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.suppressions = modelOf<SuppressionDocument>(connection, 'contacts_suppression', {
      _id: text,
      account_id: text,
      address: text,
      reason: text,
      message_id: text,
      at: { type: Number, required: true },
      active: Boolean,
      released_at: Number,
      cleared_at: Number,
      bounces_cleared_at: Number,
      event_ids: [String],
      unsubscribed_at: Number,
      unsubscribed_by: String,
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.suppressions', [
      {
        name: '1-suppressions',
        indexes: { contacts_suppression: [listingIndex('newest'), listingIndex('reason', 'reason')] },
      },
    ]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    await bulkWrite(this.suppressions, suppressions.flatMap(addOperations));
  }

  async find(refs: AddressRef[]): Promise<Suppressed[]> {
    if (refs.length === 0) return [];
    const ids = refs.map(({ accountId, address }) => idOf(accountId, address));
    const theirs = { _id: { $in: ids }, active: { $eq: true } };
    const found = await withStoreFaults(this.suppressions.find(theirs).lean<SuppressionDocument[]>().exec());
    return found.map(suppressedOf);
  }

  async list(accountId: string, limit: number, after: SuppressionPlace | null, reason?: string): Promise<Suppressed[]> {
    const { filter, index } = listQuery(accountId, after, reason);
    const found = await withStoreFaults(
      this.suppressions
        .find(filter)
        .hint(index)
        .sort({ at: -1, address: -1 })
        .limit(limit)
        .lean<SuppressionDocument[]>()
        .exec(),
    );
    return found.map(suppressedOf);
  }

  async release({ accountId, address }: AddressRef, now: number, reason?: string): Promise<boolean> {
    const shown = reason === undefined ? {} : { reason: { $eq: reason } };
    const held = { _id: { $eq: idOf(accountId, address) }, active: { $eq: true }, ...shown };
    const { matched } = await bulkWrite(this.suppressions, [
      { updateOne: { filter: held, update: releaseUpdate(now, reason) } },
    ]);
    return matched > 0;
  }
}

/**
 * Filter of the page after a place, and the index in that order. `at` is bounded for the filter as a whole, so that the index scan starts
 * there.
 */
export function listQuery(accountId: string, after: SuppressionPlace | null, reason?: string) {
  const which = reason === undefined ? {} : { reason: { $eq: reason } };
  const all = { account_id: { $eq: accountId }, active: { $eq: true }, ...which };
  const index = `contacts_suppression_${reason === undefined ? 'newest' : 'reason'}`;
  if (!after) return { index, filter: all };
  const { at, address } = after;
  return { index, filter: { ...all, at: { $lte: at }, $or: [{ at: { $lt: at } }, { address: { $lt: address } }] } };
}

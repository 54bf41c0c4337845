import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import { MANUAL, UNSUBSCRIBED } from './suppression';
import type { AddressRef, Suppressed, Suppression, SuppressionPlace, SuppressionsStore } from './suppressions.store';
import { addOperations, releaseUpdate, type SuppressionDocument } from './suppressions.updates.mongoose';

const listingIndex = (name: string, ...fields: string[]): MongoDriver.IndexDescription => ({
  name: `contacts_suppression_${name}`,
  key: { account_id: 1, ...Object.fromEntries(fields.map((field) => [field, 1])), at: -1, address: -1 },
  partialFilterExpression: { active: true },
});

const text = { type: String, required: true };

function suppressedOf(document: SuppressionDocument): Suppressed {
  const { account_id, address, reason, message_id, at, unsubscribed_at = null, manual_at = null } = document;
  const unsubscribedAt = reason === UNSUBSCRIBED ? at : unsubscribed_at;
  const manualAt = reason === MANUAL ? at : manual_at;
  return { accountId: account_id, address, reason, messageId: message_id, at, unsubscribedAt, manualAt };
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
      manual_at: Number,
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

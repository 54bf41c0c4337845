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
import { UNSUBSCRIBED } from './suppression';
import type { AddressRef, Suppression, SuppressionPlace, SuppressionsStore } from './suppressions.store';

/** A suppression, under `idOf(account, address)`. A released one is kept, so that a bounce of before, read again, does not bring it back. */
interface SuppressionDocument {
  _id: string;
  account_id: string;
  address: string;
  reason: string;
  message_id: string;
  at: number;
  /** Either of the two is there. */
  active?: boolean;
  released_at?: number;
}

const INDEXES: MongoDriver.IndexDescription[] = [
  {
    name: 'contacts_suppression_newest',
    key: { account_id: 1, at: -1, address: -1 },
    partialFilterExpression: { active: true },
  },
];

const text = { type: String, required: true };

function suppressionOf({ account_id, address, reason, message_id, at }: SuppressionDocument): Suppression {
  return { accountId: account_id, address, reason, messageId: message_id, at };
}

/** Writes that may come in any order, and beside those of others: one adds what is not there, one wakes what was released, one strengthens. */
function adding(one: Suppression): BulkOperation<SuppressionDocument>[] {
  const { accountId, address, reason, messageId, at } = one;
  const _id = idOf(accountId, address);
  const cause = { reason, message_id: messageId, at, active: true };
  const woken = { $set: cause, $unset: { released_at: 1 as const } };
  const weaker = { _id: { $eq: _id }, active: { $eq: true }, reason: { $eq: UNSUBSCRIBED } };
  return [
    ...(reason === UNSUBSCRIBED ? [] : [{ updateOne: { filter: weaker, update: { $set: cause } } }]),
    { updateOne: { filter: { _id: { $eq: _id }, released_at: { $lt: at } }, update: woken } },
    { insertOne: { document: { _id, account_id: accountId, address, ...cause } } },
  ];
}

export class MongooseSuppressionsStore implements SuppressionsStore {
  private readonly suppressions: StoreModel<SuppressionDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.suppressions = modelOf<SuppressionDocument>(connection, 'contacts_suppression', {
      ...{ _id: text, account_id: text, address: text, reason: text, message_id: text },
      at: { type: Number, required: true },
      ...{ active: Boolean, released_at: Number },
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.suppressions', [
      { name: '001-suppressions', indexes: { contacts_suppression: INDEXES } },
    ]);
  }

  async add(suppressions: Suppression[]): Promise<void> {
    await bulkWrite(this.suppressions, suppressions.flatMap(adding));
  }

  async find(refs: AddressRef[]): Promise<Suppression[]> {
    if (refs.length === 0) return [];
    const ids = refs.map(({ accountId, address }) => idOf(accountId, address));
    const theirs = { _id: { $in: ids }, active: { $eq: true } };
    const found = await withStoreFaults(this.suppressions.find(theirs).lean<SuppressionDocument[]>().exec());
    return found.map(suppressionOf);
  }

  async list(accountId: string, limit: number, after: SuppressionPlace | null): Promise<Suppression[]> {
    const found = await withStoreFaults(
      this.suppressions
        .find(listed(accountId, after))
        .sort({ at: -1, address: -1 })
        .limit(limit)
        .lean<SuppressionDocument[]>()
        .exec(),
    );
    return found.map(suppressionOf);
  }

  async release({ accountId, address }: AddressRef, now: number): Promise<boolean> {
    const held = { _id: { $eq: idOf(accountId, address) }, active: { $eq: true } };
    const released = { $set: { released_at: now }, $unset: { active: 1 as const } };
    const { modifiedCount } = await withStoreFaults(this.suppressions.updateOne(held, released).exec());
    return modifiedCount > 0;
  }
}

/** The page that begins after a place; `at` is bounded for all of it, so that the index is entered there. */
function listed(accountId: string, after: SuppressionPlace | null): object {
  const all = { account_id: { $eq: accountId }, active: { $eq: true } };
  if (!after) return all;
  const { at, address } = after;
  return { ...all, at: { $lte: at }, $or: [{ at: { $lt: at } }, { address: { $lt: address } }] };
}

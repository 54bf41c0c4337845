import type { ReasonCode } from '@lettermill/problems';
import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { MessageRef, RefusalsStore, StoredRefusal } from './refusals.store';

/** A refusal; `_id` is `idOf(account, message)`. */
interface RefusalDocument {
  _id: string;
  account_id: string;
  message_id: string;
  code: ReasonCode;
  detail: string;
  address: string | null;
  at: number;
}

const text = { type: String, required: true };

export class MongooseRefusalsStore implements RefusalsStore {
  private readonly refusals: StoreModel<RefusalDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.refusals = modelOf<RefusalDocument>(connection, 'contacts_refusal', {
      _id: text,
      account_id: text,
      message_id: text,
      code: text,
      detail: text,
      address: String,
      at: { type: Number, required: true },
    });
  }

  /** Refusals are looked up by message, which `_id` covers, and swept by age. */
  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.refusals', [
      { name: '1-age', indexes: { contacts_refusal: [{ name: 'contacts_refusal_at', key: { at: 1 } }] } },
    ]);
  }

  async load(messages: MessageRef[]): Promise<StoredRefusal[]> {
    if (messages.length === 0) return [];
    const ids = messages.map(({ accountId, messageId }) => idOf(accountId, messageId));
    const found = await withStoreFaults(
      this.refusals
        .find({ _id: { $in: ids } })
        .lean<RefusalDocument[]>()
        .exec(),
    );
    return found.map(({ account_id, message_id, code, detail, address }) => ({
      accountId: account_id,
      messageId: message_id,
      reason: { code, detail },
      address,
    }));
  }

  async record(refusals: StoredRefusal[], now: number): Promise<void> {
    const insertions = refusals.map(({ accountId, messageId, reason, address }): BulkOperation<RefusalDocument> => ({
      insertOne: {
        document: {
          _id: idOf(accountId, messageId),
          account_id: accountId,
          message_id: messageId,
          code: reason.code,
          detail: reason.detail,
          address,
          at: now,
        },
      },
    }));
    await bulkWrite(this.refusals, insertions);
  }

  async sweep(before: number, limit: number): Promise<boolean> {
    const old = this.refusals.find({ at: { $lt: before } }, { _id: 1 }).limit(limit);
    const ids = (await withStoreFaults(old.lean<{ _id: string }[]>().exec())).map(({ _id }) => _id);
    if (ids.length > 0) await withStoreFaults(this.refusals.deleteMany({ _id: { $in: ids } }).exec());
    return ids.length >= limit;
  }
}

import { randomUUID } from 'node:crypto';
import {
  isDuplicateKey,
  migrateMongo,
  modelOf,
  storeFaultOf,
  withStoreFaults,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { KeyStore, Revocation, StoredKey } from './keys.store';

/** A call that began to revoke a key so long ago has failed, or finds that its mark is gone. */
const REVOCATION_TIMEOUT_MS = 60_000;

interface KeyDocument {
  /** The hash. */
  _id: string;
  account_id: string;
  name?: string;
  created_at: number;
  /** Calls that are revoking the key. Until one of them removes it, it is valid, but revokes no other key. */
  revocations?: { call: string; at: number }[];
}

export class MongooseKeyStore implements KeyStore {
  private readonly keys: StoreModel<KeyDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.keys = modelOf<KeyDocument>(connection, 'gateway_keys', {
      _id: { type: String, required: true },
      account_id: { type: String, required: true, minlength: 1 },
      created_at: { type: Number, required: true },
      name: String,
      revocations: { type: [{ _id: false, call: String, at: Number }], default: undefined },
    });
  }

  /** Keys are looked up by their hash; all of them are few enough to be read, and so to be counted, without another index. */
  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'gateway.keys', []);
  }

  async all(): Promise<StoredKey[]> {
    const found = await withStoreFaults(this.keys.find({}).lean().exec());
    return found.map(({ _id, account_id, name = null, created_at }) => ({
      hash: _id,
      accountId: account_id,
      name,
      createdAt: created_at,
    }));
  }

  async add({ hash, accountId, name, createdAt }: StoredKey, most = Infinity): Promise<boolean> {
    try {
      await this.keys.create({
        _id: hash,
        account_id: accountId,
        created_at: createdAt,
        ...(name !== null && { name }),
      });
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw storeFaultOf(error);
    }
    // Counted once it is there: of concurrent calls at least the last one sees the keys of all the others.
    const keys = await withStoreFaults(this.keys.countDocuments({ account_id: { $eq: accountId } }).exec());
    if (keys <= most) return true;
    await this.remove(hash);
    return false;
  }

  async remove(hash: string): Promise<void> {
    await withStoreFaults(this.keys.deleteOne({ _id: { $eq: hash } }).exec());
  }

  /**
   * No statement sees both keys. So the one is marked, then the other is looked at, and only a key without a mark removes. Of keys that
   * revoke each other at the same time, the last one to look sees that it is marked.
   */
  async revoke(hash: string, by: string, now: number): Promise<Revocation> {
    const call = randomUUID();
    const revoked = { _id: { $eq: hash } };
    await withStoreFaults(this.keys.updateOne(revoked, { $push: { revocations: { call, at: now } } }).exec());
    const caller = await this.callerOf(by, now);
    if (caller && !caller.revocations?.length) return this.removeMarked(hash, call);
    await withStoreFaults(this.keys.updateOne(revoked, { $pull: { revocations: { call } } }).exec());
    return caller ? 'contested' : 'caller_revoked';
  }

  /** The key, without marks of calls that never ended: they would keep it from revoking others for ever. */
  private callerOf(hash: string, now: number): Promise<KeyDocument | null> {
    const outdated = { $pull: { revocations: { at: { $lte: now - REVOCATION_TIMEOUT_MS } } } };
    const options = { returnDocument: 'after' as const };
    return withStoreFaults(
      this.keys
        .findOneAndUpdate({ _id: { $eq: hash } }, outdated, options)
        .lean()
        .exec(),
    );
  }

  /** Removes the key if its mark is still there. If not, the key may have been used meanwhile to revoke the caller's. */
  private async removeMarked(hash: string, call: string): Promise<Revocation> {
    const marked = { _id: { $eq: hash }, 'revocations.call': { $eq: call } };
    const { deletedCount } = await withStoreFaults(this.keys.deleteOne(marked).exec());
    if (deletedCount === 1) return 'revoked';
    const isThere = await withStoreFaults(this.keys.exists({ _id: { $eq: hash } }).exec());
    return isThere ? 'contested' : 'revoked';
  }
}

import {
  isDuplicateKey,
  migrateMongo,
  modelOf,
  storeFaultOf,
  withStoreFaults,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { KeyStore, StoredKey } from './keys.store';

interface KeyDocument {
  /** The hash. */
  _id: string;
  account_id: string;
  name?: string;
  created_at: number;
}

export class MongooseKeyStore implements KeyStore {
  private readonly keys: StoreModel<KeyDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.keys = modelOf<KeyDocument>(connection, 'gateway_keys', {
      _id: { type: String, required: true },
      account_id: { type: String, required: true, minlength: 1 },
      created_at: { type: Number, required: true },
      name: String,
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
}

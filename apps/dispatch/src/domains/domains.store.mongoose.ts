import {
  idOf,
  isDuplicateKey,
  migrateMongo,
  modelOf,
  storeFaultOf,
  withStoreFaults,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import type { SendingDomain } from './domain';
import { nextLookupAt } from './domain.decide';
import type { DomainRef, DomainStore } from './domains.store';

/** A domain, stored under `idOf(account, domain)`. */
interface DomainDocument {
  _id: string;
  account_id: string;
  domain: string;
  revision: number;
  /** JSON. */
  content: string;
  /** Present while it waits for its records. */
  look_at?: number;
}

const INDEXES: MongoDriver.IndexDescription[] = [
  { name: 'dispatch_domains_name', key: { account_id: 1, domain: 1 }, unique: true },
  { name: 'dispatch_domains_look', key: { look_at: 1 }, sparse: true },
];

const text = { type: String, required: true };

const domainOf = ({ content }: DomainDocument): SendingDomain => JSON.parse(content) as SendingDomain;

export class MongooseDomainStore implements DomainStore {
  private readonly domains: StoreModel<DomainDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.domains = modelOf<DomainDocument>(connection, 'dispatch_domains', {
      _id: text,
      account_id: text,
      domain: text,
      content: text,
      revision: { type: Number, required: true },
      look_at: { type: Number },
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'dispatch.domains', [
      { name: '1-domains', indexes: { dispatch_domains: INDEXES } },
    ]);
  }

  async find(refs: readonly DomainRef[]): Promise<SendingDomain[]> {
    if (refs.length === 0) return [];
    const ids = refs.map(({ accountId, domain }) => idOf(accountId, domain));
    const found = await withStoreFaults(
      this.domains
        .find({ _id: { $in: ids } })
        .lean<DomainDocument[]>()
        .exec(),
    );
    return found.map(domainOf);
  }

  async list(accountId: string, limit: number, after: string): Promise<SendingDomain[]> {
    const theirs = { account_id: { $eq: accountId }, domain: { $gt: after } };
    const found = await withStoreFaults(
      this.domains.find(theirs).sort({ domain: 1 }).limit(limit).lean<DomainDocument[]>().exec(),
    );
    return found.map(domainOf);
  }

  async page(limit: number, after: DomainRef | null): Promise<SendingDomain[]> {
    const behind = this.domains.find(after ? { _id: { $gt: idOf(after.accountId, after.domain) } } : {});
    const found = await withStoreFaults(behind.sort({ _id: 1 }).limit(limit).lean<DomainDocument[]>().exec());
    return found.map(domainOf);
  }

  async due(now: number, limit: number): Promise<SendingDomain[]> {
    const due = this.domains.find({ look_at: { $lte: now } });
    const found = await withStoreFaults(due.sort({ look_at: 1 }).limit(limit).lean<DomainDocument[]>().exec());
    return found.map(domainOf);
  }

  async count(accountId: string): Promise<number> {
    return withStoreFaults(this.domains.countDocuments({ account_id: { $eq: accountId } }).exec());
  }

  async put(domain: SendingDomain, before: number | null): Promise<boolean> {
    const _id = idOf(domain.accountId, domain.domain);
    const lookAt = nextLookupAt(domain);
    const look = lookAt !== null && { look_at: lookAt };
    const changing = { revision: domain.revision, content: JSON.stringify(domain), ...look };
    if (before === null) {
      return this.insert({ _id, account_id: domain.accountId, domain: domain.domain, ...changing });
    }
    const there = { _id: { $eq: _id }, revision: { $eq: before } };
    const change = { $set: changing, ...(!look && { $unset: { look_at: 1 } }) };
    const { matchedCount } = await withStoreFaults(this.domains.updateOne(there, change).exec());
    return matchedCount > 0;
  }

  async remove({ accountId, domain }: DomainRef): Promise<boolean> {
    const { deletedCount } = await withStoreFaults(
      this.domains.deleteOne({ _id: { $eq: idOf(accountId, domain) } }).exec(),
    );
    return deletedCount > 0;
  }

  private async insert(document: DomainDocument): Promise<boolean> {
    try {
      await this.domains.create(document);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw storeFaultOf(error);
    }
  }
}

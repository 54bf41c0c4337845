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
import type { CampaignHead, CampaignName, CampaignVersion } from './campaign';
import {
  partsOf,
  versionFromParts,
  type CampaignStore,
  type StoredVersion,
  type VersionParts,
  type VersionRef,
} from './campaigns.store';

/** A version; `_id` is `idOf(account, id, version)`. */
interface VersionDocument extends VersionParts {
  _id: string;
  account_id: string;
  slug: string;
  version: number;
  id: string;
  published: boolean;
}

const FIRST_VERSIONS = 'renderer_campaigns_first';
const BY_ID = 'renderer_campaigns_id';

const INDEXES: MongoDriver.IndexDescription[] = [
  { name: 'renderer_campaigns_slug', key: { account_id: 1, slug: 1, version: -1 }, unique: true },
  { name: BY_ID, key: { account_id: 1, id: -1, version: -1 } },
  { name: FIRST_VERSIONS, key: { account_id: 1, id: -1 }, partialFilterExpression: { version: 1 } },
  {
    name: 'renderer_campaigns_unpublished',
    key: { id: 1, version: 1 },
    partialFilterExpression: { published: false },
  },
];

const text = { type: String, required: true };

function documentId({ accountId, id, version }: VersionRef): string {
  return idOf(accountId, id, version);
}

function storedVersionOf({ published, ...parts }: VersionDocument): StoredVersion {
  return { ...versionFromParts(parts), published };
}

function documentOf(campaign: CampaignVersion): VersionDocument {
  const { account_id, slug, version, id } = campaign.launched;
  return { _id: idOf(account_id, id, version), account_id, slug, version, id, ...partsOf(campaign), published: false };
}

/** The first version of each campaign of a page. */
export function pageQuery(accountId: string, before: string | null) {
  const older = before === null ? {} : { id: { $lt: before } };
  const filter = { account_id: { $eq: accountId }, version: { $eq: 1 }, ...older };
  return { filter, order: { id: -1 as const }, hint: FIRST_VERSIONS };
}

/** The number of the newest version of each of these campaigns. All that it asks for is in the index: no version is read. */
export function newestQuery(accountId: string, ids: string[]) {
  const theirs = { account_id: { $eq: accountId }, id: { $in: ids } };
  const stages = [{ $match: theirs }, { $group: { _id: '$id', version: { $max: '$version' } } }];
  return { stages, hint: BY_ID };
}

export class MongooseCampaignStore implements CampaignStore {
  private readonly versionsModel: StoreModel<VersionDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.versionsModel = modelOf<VersionDocument>(connection, 'renderer_campaigns', {
      _id: text,
      account_id: text,
      slug: text,
      id: text,
      head: text,
      bodies: text,
      version: { type: Number, required: true, min: 1 },
      published: { type: Boolean, required: true },
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'renderer.campaigns', [
      { name: '1-campaigns', indexes: { renderer_campaigns: INDEXES } },
    ]);
  }

  async add(version: CampaignVersion): Promise<boolean> {
    try {
      await this.versionsModel.create(documentOf(version));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw storeFaultOf(error);
    }
  }

  async latest(accountId: string, name: CampaignName): Promise<StoredVersion | undefined> {
    const named = 'slug' in name ? { slug: { $eq: name.slug } } : { id: { $eq: name.id } };
    const [found] = await this.find({ account_id: { $eq: accountId }, ...named }, { version: -1 }, 1);
    return found && storedVersionOf(found);
  }

  async versions(refs: VersionRef[]): Promise<CampaignVersion[]> {
    if (refs.length === 0) return [];
    return (await this.find({ _id: { $in: refs.map(documentId) } })).map(storedVersionOf);
  }

  /** Every campaign has a first version: however many more it has, only the newest of them is read. Never one call per campaign. */
  async page(accountId: string, limit: number, before: string | null): Promise<CampaignHead[]> {
    const { filter, order, hint } = pageQuery(accountId, before);
    const found = this.versionsModel.find(filter, { id: 1 }).sort(order).hint(hint).limit(limit);
    const campaigns = await withStoreFaults(found.lean<Pick<VersionDocument, 'id'>[]>().exec());
    const ids = campaigns.map(({ id }) => id);
    return ids.length > 0 ? this.newestHeads(accountId, ids) : [];
  }

  private async newestHeads(accountId: string, ids: string[]): Promise<CampaignHead[]> {
    const { stages, hint } = newestQuery(accountId, ids);
    const counted = this.versionsModel.aggregate<{ _id: string; version: number }>(stages).hint(hint);
    const newest = await withStoreFaults(counted.exec());
    const refs = newest.map(({ _id, version }) => documentId({ accountId, id: _id, version }));
    const found = this.versionsModel.find({ _id: { $in: refs } }, { id: 1, head: 1 });
    const versions = await withStoreFaults(found.lean<Pick<VersionDocument, 'id' | 'head'>[]>().exec());
    const heads = new Map(versions.map(({ id, head }) => [id, head]));
    return ids.map((id) => JSON.parse(heads.get(id)!) as CampaignHead);
  }

  async unpublished(): Promise<CampaignVersion[]> {
    return (await this.find({ published: { $eq: false } }, { id: 1, version: 1 })).map(storedVersionOf);
  }

  async markPublished(refs: VersionRef[]): Promise<void> {
    const published = { $set: { published: true } };
    await withStoreFaults(this.versionsModel.updateMany({ _id: { $in: refs.map(documentId) } }, published).exec());
  }

  private find(filter: object, order: Record<string, 1 | -1> = {}, limit = 0): Promise<VersionDocument[]> {
    return withStoreFaults(this.versionsModel.find(filter).sort(order).limit(limit).lean<VersionDocument[]>().exec());
  }
}

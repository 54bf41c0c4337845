import type { MigratedStore } from '@lettermill/storage';
import type { CampaignHead, CampaignName, CampaignVersion } from './campaign';

/** What tells one version from all others. */
export interface VersionRef {
  accountId: string;
  id: string;
  version: number;
}

export type StoredVersion = CampaignVersion & { published: boolean };

/** Campaigns and their versions, by account. A slug names one campaign for ever. Faults: `StoreUnavailable`. */
export interface CampaignStore extends MigratedStore {
  /** Compare-and-set: false, and nothing stored, where the slug has that version already. */
  add(version: CampaignVersion): Promise<boolean>;
  /** The newest version. */
  latest(accountId: string, name: CampaignName): Promise<StoredVersion | undefined>;
  /** Those of the versions that exist, in any order. */
  versions(refs: VersionRef[]): Promise<CampaignVersion[]>;
  /** The newest version of each campaign, youngest campaign first; `before` is the id that the last page ended with. */
  page(accountId: string, limit: number, before: string | null): Promise<CampaignHead[]>;
  /** What was not announced yet, of all accounts; the versions of a campaign oldest first. */
  unpublished(): Promise<CampaignVersion[]>;
  markPublished(refs: VersionRef[]): Promise<void>;
}

export const CAMPAIGN_STORE = Symbol('CampaignStore');

export function refOf({ launched }: CampaignVersion): VersionRef {
  return { accountId: launched.account_id, id: launched.id, version: launched.version };
}

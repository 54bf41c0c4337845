import type { Body, CampaignLaunched } from '@lettermill/events';
import type { MigratedStore } from '@lettermill/storage';
import type { CampaignHead, CampaignName, CampaignVersion } from './campaign';

/** Identifies a version. */
export interface VersionRef {
  accountId: string;
  id: string;
  version: number;
}

export type StoredVersion = CampaignVersion & { published: boolean };

/** Campaigns and their versions, by account. A slug names one campaign for ever. Methods reject with `StoreUnavailable`. */
export interface CampaignStore extends MigratedStore {
  /** Compare-and-set: false, with nothing stored, if the slug has that version already. */
  add(version: CampaignVersion): Promise<boolean>;
  /** The newest version. */
  latest(accountId: string, name: CampaignName): Promise<StoredVersion | undefined>;
  /** Returns those of the versions that exist, in any order. */
  versions(refs: VersionRef[]): Promise<CampaignVersion[]>;
  /** The newest version of each campaign, newest campaign first; `before` is the last id of the previous page. */
  page(accountId: string, limit: number, before: string | null): Promise<CampaignHead[]>;
  /** The versions of all accounts that have not been announced yet; those of a campaign oldest first. */
  unpublished(): Promise<CampaignVersion[]>;
  markPublished(refs: VersionRef[]): Promise<void>;
}

export const CAMPAIGN_STORE = Symbol('CampaignStore');

export function refOf({ launched }: CampaignVersion): VersionRef {
  return { accountId: launched.account_id, id: launched.id, version: launched.version };
}

/** A version as JSON text, so that no property name chosen by a caller becomes a field name. Lists read only the head. */
export interface VersionParts {
  head: string;
  bodies: string;
}

export function partsOf({ launched, compiled }: CampaignVersion): VersionParts {
  const { text, html, ...message } = launched.message;
  return { head: JSON.stringify({ ...launched, message }), bodies: JSON.stringify({ text, html, compiled }) };
}

export function versionFromParts({ head, bodies }: VersionParts): CampaignVersion {
  const launched = JSON.parse(head) as CampaignLaunched;
  const { compiled, ...texts } = JSON.parse(bodies) as { text?: Body; html?: Body; compiled: Body | null };
  return { launched: { ...launched, message: { ...launched.message, ...texts } }, compiled };
}

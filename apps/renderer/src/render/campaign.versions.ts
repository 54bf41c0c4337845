import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CampaignVersion } from '../campaigns/campaign';
import { CAMPAIGN_STORE, refOf, type CampaignStore, type VersionRef } from '../campaigns/campaigns.store';

const CACHE_WEIGHT = 32 * 1024 * 1024;
/** Weight of a version without its bodies. */
const BASE_WEIGHT = 4096;

function keyOf({ accountId, id, version }: VersionRef): string {
  return `${accountId}\n${id}\n${version}`;
}

function weightOf({ launched, compiled }: CampaignVersion): number {
  const bodies = [launched.message.text, launched.message.html, compiled];
  return bodies.reduce<number>((sum, body) => sum + (typeof body === 'string' ? body.length : 0), BASE_WEIGHT);
}

/** The campaign versions that messages name; a version never changes, so that those read are kept in memory. */
@Injectable()
export class CampaignVersions {
  private readonly cache = new LRUCache<string, CampaignVersion>({ maxSize: CACHE_WEIGHT });

  constructor(@Inject(CAMPAIGN_STORE) private readonly store: CampaignStore) {}

  /** Returns a look-up for `refs`; one query reads all that are not in memory. */
  async find(refs: VersionRef[]): Promise<(ref: VersionRef) => CampaignVersion | undefined> {
    const wanted = new Map(refs.map((ref) => [keyOf(ref), ref]));
    const found = new Map<string, CampaignVersion>();
    const missing: VersionRef[] = [];
    for (const [key, ref] of wanted) {
      const version = this.cache.get(key);
      if (version) found.set(key, version);
      else missing.push(ref);
    }
    for (const version of missing.length > 0 ? await this.store.versions(missing) : []) {
      const key = keyOf(refOf(version));
      this.cache.set(key, version, { size: weightOf(version) });
      found.set(key, version);
    }
    return (ref) => found.get(keyOf(ref));
  }
}

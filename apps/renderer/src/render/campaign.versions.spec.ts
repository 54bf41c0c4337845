import type { CampaignVersion } from '../campaigns/campaign';
import { versionOf } from '../campaigns/campaigns.store.contract';
import { refOf, type CampaignStore, type VersionRef } from '../campaigns/campaigns.store';
import { CampaignVersions } from './campaign.versions';

describe('the campaign versions that messages name', () => {
  let stored: CampaignVersion[];
  let queries: VersionRef[][];
  let versions: CampaignVersions;

  beforeEach(() => {
    [stored, queries] = [[], []];
    const same = (one: VersionRef, other: VersionRef) =>
      one.accountId === other.accountId && one.id === other.id && one.version === other.version;
    const store: Pick<CampaignStore, 'versions'> = {
      versions: (refs) => {
        queries.push(refs);
        return Promise.resolve(stored.filter((version) => refs.some((ref) => same(ref, refOf(version)))));
      },
    };
    versions = new CampaignVersions(store as CampaignStore);
  });

  it('are told apart by account, campaign and version, also in one batch and from memory', async () => {
    const other = 'C00000000000000002';
    stored = [versionOf(), versionOf({ version: 2 }), versionOf({ id: other }), versionOf({ account_id: 'b' })];
    const refs = stored.map(refOf);
    for (let batch = 0; batch < 2; batch += 1) {
      const found = await versions.find([...refs, ...refs]);
      expect(refs.map(found)).toEqual(stored);
      expect(found({ accountId: 'b', id: other, version: 1 })).toBeUndefined();
    }
    expect(queries).toEqual([refs]);
  });

  it('are asked for again if they were not there, and only those', async () => {
    stored = [versionOf()];
    const next = versionOf({ version: 2 });
    const refs = [versionOf(), next].map(refOf);
    expect(refs.map(await versions.find(refs))).toEqual([versionOf(), undefined]);
    stored.push(next);
    expect(refs.map(await versions.find(refs))).toEqual([versionOf(), next]);
    expect(queries).toEqual([refs, refs.slice(1)]);
  });

  it('are found if they are too large to be kept in memory', async () => {
    const large = { ...versionOf(), compiled: 'x'.repeat(33 * 1024 * 1024) };
    stored = [large];
    for (let batch = 0; batch < 2; batch += 1) {
      const found = await versions.find([refOf(large)]);
      expect(found(refOf(large)) === large).toBe(true);
    }
    expect(queries).toHaveLength(2);
  });
});

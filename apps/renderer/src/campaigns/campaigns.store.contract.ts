import type { CampaignLaunched } from '@lettermill/events';
import type { CampaignVersion } from './campaign';
import { refOf, type CampaignStore } from './campaigns.store';

const ID = 'C00000000000000001';

export function versionOf(changes: Partial<CampaignLaunched> = {}): CampaignVersion {
  const launched: CampaignLaunched = {
    account_id: 'a',
    id: ID,
    slug: 'welcome',
    version: 1,
    launched_at: '2026-01-02T03:04:05.678Z',
    name: null,
    from: { email: 'shop@x.test' },
    priority: 'normal',
    on_uncertain: 'retry',
    valid_for: null,
    message: { subject: 'Hi', text: 'text', html: { blob: 'f'.repeat(64), size: 300_000 } },
    attachments: [],
    fingerprint: 'f1',
    ...changes,
  };
  return { launched, compiled: '<p>compiled</p>' };
}

/** The suite that every adapter of the campaign store runs. */
export function campaignStoreContract(make: () => Promise<{ store: CampaignStore; close(): Promise<void> }>): void {
  let harness: Awaited<ReturnType<typeof make>>;
  let store: CampaignStore;
  beforeEach(async () => {
    harness = await make();
    store = harness.store;
    await store.migrate();
  });
  afterEach(() => harness.close());

  it('finds nothing that was not added', async () => {
    expect(await store.latest('a', { slug: 'welcome' })).toBeUndefined();
    expect(await store.versions([{ accountId: 'a', id: ID, version: 1 }])).toEqual([]);
    expect(await store.versions([])).toEqual([]);
    expect(await store.page('a', 10, null)).toEqual([]);
    expect(await store.unpublished()).toEqual([]);
  });

  it('gives a version to only one of concurrent launches', async () => {
    const twins = Array.from({ length: 10 }, (_, i) => versionOf({ id: `C0000000000000000${i}` }));
    const added = await Promise.all(twins.map((twin) => store.add(twin)));
    expect(added.filter(Boolean)).toHaveLength(1);
  });

  it('returns a version as it was added', async () => {
    const version = versionOf();
    await store.add(version);
    expect(await store.latest('a', { slug: 'welcome' })).toEqual({ ...version, published: false });
    expect(await store.latest('a', { id: ID })).toEqual({ ...version, published: false });
    expect(await store.versions([refOf(version), refOf(version)])).toMatchObject([version]);
  });

  it('returns the newest version, and each that is asked for', async () => {
    for (const version of [1, 2, 10]) await store.add(versionOf({ version, fingerprint: `f${version}` }));
    expect(await store.latest('a', { slug: 'welcome' })).toMatchObject({ launched: { version: 10 } });
    const refs = [1, 2, 3].map((version) => ({ accountId: 'a', id: ID, version }));
    const found = await store.versions(refs);
    expect(found.map(({ launched }) => launched.fingerprint).sort()).toEqual(['f1', 'f2']);
  });

  it('keeps accounts apart', async () => {
    await store.add(versionOf());
    expect(await store.add(versionOf({ account_id: 'b' }))).toBe(true);
    expect(await store.latest('c', { slug: 'welcome' })).toBeUndefined();
    expect(await store.versions([{ accountId: 'c', id: ID, version: 1 }])).toEqual([]);
    expect(await store.page('c', 10, null)).toEqual([]);
  });

  it('pages through the newest versions, without their bodies', async () => {
    for (const n of [1, 2, 3]) {
      const campaign = { id: `C0000000000000000${n}`, slug: `slug-${n}` };
      await store.add(versionOf(campaign));
      await store.add(versionOf({ ...campaign, version: 2 }));
    }
    const first = await store.page('a', 2, null);
    expect(first).toMatchObject([
      { slug: 'slug-3', version: 2 },
      { slug: 'slug-2', version: 2 },
    ]);
    expect(first[0]!.message).toEqual({ subject: 'Hi' });
    expect(await store.page('a', 2, first[1]!.id)).toMatchObject([{ slug: 'slug-1', version: 2 }]);
    expect(await store.page('a', 2, 'C00000000000000001')).toEqual([]);
  });

  it('remembers which versions were published', async () => {
    await store.add(versionOf());
    await store.add(versionOf({ version: 2 }));
    await store.add(versionOf({ slug: 'other', id: 'C00000000000000002' }));
    const names = (await store.unpublished()).map(({ launched: { slug, version } }) => `${slug} ${version}`);
    expect(names).toEqual(['welcome 1', 'welcome 2', 'other 1']);
    await store.markPublished([{ accountId: 'a', id: ID, version: 1 }]);
    expect(await store.latest('a', { slug: 'welcome' })).toMatchObject({ published: false });
    await store.markPublished([{ accountId: 'a', id: ID, version: 2 }]);
    expect(await store.latest('a', { slug: 'welcome' })).toMatchObject({ published: true });
    expect(await store.unpublished()).toMatchObject([{ launched: { slug: 'other' } }]);
  });
}

import { createHash, randomBytes } from 'node:crypto';
import type { BlobStore } from './blob.port';

/** The contract of every blob store. `make` creates an empty store; `reopen` opens the same content as a new process would. */
export function blobStoreContract(
  make: () => Promise<{ store: BlobStore; reopen(): Promise<BlobStore>; close(): Promise<void> }>,
): void {
  let harness: Awaited<ReturnType<typeof make>>;
  let store: BlobStore;

  beforeEach(async () => {
    harness = await make();
    store = harness.store;
  });
  afterEach(() => harness.close());

  it('returns undefined for a blob that was never put', async () => {
    expect(await store.get('a', '0'.repeat(64))).toBeUndefined();
  });

  it('stores content under its SHA-256 and returns it unchanged', async () => {
    const bytes = randomBytes(300_000);
    const { blob, size } = await store.put('a', bytes);
    expect(blob).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(size).toBe(bytes.length);
    expect(await store.get('a', blob)).toEqual(bytes);
  });

  it('takes empty content', async () => {
    const { blob, size } = await store.put('a', Buffer.alloc(0));
    expect(size).toBe(0);
    expect(await store.get('a', blob)).toEqual(Buffer.alloc(0));
  });

  it('keeps accounts apart', async () => {
    const { blob } = await store.put('a', Buffer.from('secret'));
    expect(await store.get('b', blob)).toBeUndefined();
    expect(await store.get('../a', blob)).toBeUndefined();
  });

  it('keeps blobs across a restart', async () => {
    const { blob } = await store.put('a', Buffer.from('kept'));
    const again = await harness.reopen();
    expect(await again.get('a', blob)).toEqual(Buffer.from('kept'));
    await again.close();
  });

  it('stores the same content once, however many callers put it at the same time', async () => {
    const bytes = randomBytes(100_000);
    const puts = await Promise.all(Array.from({ length: 20 }, () => store.put('a', bytes)));
    expect(new Set(puts.map(({ blob }) => blob)).size).toBe(1);
    expect(await store.sweep(Date.now() + 60_000)).toBe(1);
  });

  it('stores a stream as a draft, which commit turns into a blob and discard removes', async () => {
    const bytes = randomBytes(200_000);
    const parts = async function* () {
      yield bytes.subarray(0, 70_000);
      yield bytes.subarray(70_000);
    };
    const kept = await store.draft('a', parts());
    expect(await kept.read()).toEqual(bytes);
    expect(await store.get('a', kept.blob)).toBeUndefined();
    const dropped = await store.draft('b', parts());
    await dropped.discard();
    await kept.commit();
    await kept.discard();
    for (const gone of [kept, dropped]) await expect(gone.read()).rejects.toThrow();
    expect(kept.size).toBe(bytes.length);
    expect(await store.get('a', kept.blob)).toEqual(bytes);
    expect(await store.get('b', kept.blob)).toBeUndefined();
  });

  it('makes no blob of a discarded draft', async () => {
    const draft = await store.draft(
      'a',
      (async function* () {
        yield Buffer.from('dropped');
      })(),
    );
    await draft.discard();
    await expect(draft.commit()).rejects.toThrow();
    expect(await store.get('a', draft.blob)).toBeUndefined();
  });

  it('keeps nothing of a stream that fails', async () => {
    const broken = async function* () {
      yield Buffer.from('half');
      throw new Error('gone');
    };
    await expect(store.draft('a', broken())).rejects.toThrow('gone');
    await store.discardDrafts();
    expect(await store.sweep(Date.now() + 60_000)).toBe(0);
  });

  it('sweeps old blobs, except those kept forever', async () => {
    const message = await store.put('a', Buffer.from('of a message'));
    const campaign = await store.put('a', Buffer.from('of a campaign'), 'forever');
    expect(await store.sweep(null)).toBe(0);
    expect(await store.sweep(Date.now() - 60_000)).toBe(0);
    expect(await store.sweep(Date.now() + 60_000)).toBe(1);
    expect(await store.get('a', message.blob)).toBeUndefined();
    expect(await store.get('a', campaign.blob)).toBeDefined();
    await store.put('a', Buffer.from('of a message'));
    expect(await store.get('a', message.blob)).toEqual(Buffer.from('of a message'));
  });

  it('passes its check', async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });
}

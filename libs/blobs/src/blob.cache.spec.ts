import { BlobCache, ContentDamaged, ContentLost } from './blob.cache';

const SIZE = 10;
const ref = (blob: string) => ({ blob, size: SIZE });

describe('BlobCache', () => {
  let loadedBlobs: string[];
  let stored: Record<string, string | Error>;
  const get = (accountId: string, blob: string) => {
    loadedBlobs.push(`${accountId} ${blob}`);
    const found = stored[`${accountId} ${blob}`];
    if (found instanceof Error) return Promise.reject(found);
    return Promise.resolve(found === undefined ? undefined : Buffer.from(found.padEnd(SIZE)));
  };
  const newCache = (maxBytes = 1000, sizeOf?: (bytes: Buffer) => number) =>
    new BlobCache({ get }, (bytes) => ({ text: bytes.toString().trim() }), maxBytes, sizeOf);
  beforeEach(() => {
    loadedBlobs = [];
    stored = { 'a x': 'of a', 'b x': 'of b' };
  });

  it('reads a blob once for all concurrent and later callers', async () => {
    const cache = newCache();
    const [first, second] = await Promise.all([cache.get('a', ref('x')), cache.get('a', ref('x'))]);
    expect(first).toEqual({ text: 'of a' });
    expect([second, await cache.get('a', ref('x'))]).toEqual([first, first]);
    expect(second).toBe(first);
    expect(loadedBlobs).toEqual(['a x']);
  });

  it('keeps accounts apart', async () => {
    const cache = newCache();
    expect(await cache.get('a', ref('x'))).toEqual({ text: 'of a' });
    expect(await cache.get('b', ref('x'))).toEqual({ text: 'of b' });
    expect(await cache.get('c', ref('x'))).toBeUndefined();
    expect(await cache.getOrThrow('b', ref('x'))).toEqual({ text: 'of b' });
    await expect(cache.getOrThrow('c', ref('x'))).rejects.toBeInstanceOf(ContentLost);
  });

  it('reads again after a blob was not found and after a fault', async () => {
    const cache = newCache();
    stored = { 'a x': new Error('away') };
    await expect(cache.get('a', ref('x'))).rejects.toThrow('away');
    expect(await cache.get('a', ref('y'))).toBeUndefined();
    stored = { 'a x': '1', 'a y': '2' };
    expect([await cache.get('a', ref('x')), await cache.get('a', ref('y'))]).toEqual([{ text: '1' }, { text: '2' }]);
  });

  it('rejects content that is not whole, and reads it again once it is', async () => {
    const cache = newCache();
    stored = { 'a x': 'half a file' };
    await expect(cache.get('a', ref('x'))).rejects.toMatchObject({ code: 'content_damaged', retryable: false });
    await expect(cache.getOrThrow('a', ref('x'))).rejects.toBeInstanceOf(ContentDamaged);
    stored = { 'a x': 'mended' };
    expect(await cache.get('a', ref('x'))).toEqual({ text: 'mended' });
  });

  it('limits what it keeps by the size of the blobs', async () => {
    const cache = newCache(25);
    for (const blob of ['x', 'y', 'z']) stored[`a ${blob}`] = blob;
    for (const blob of ['x', 'y', 'z', 'x', 'z']) await cache.get('a', ref(blob));
    expect(loadedBlobs).toEqual(['a x', 'a y', 'a z', 'a x']);
  });

  it('limits what it keeps by the weight of the blobs where one is given', async () => {
    const cache = newCache(25, (bytes) => (bytes.toString().trim() === 'heavy' ? 20 : 1));
    stored = { 'a x': 'light', 'a y': 'heavy', 'a z': 'heavy' };
    for (const blob of ['x', 'y', 'x', 'z', 'x', 'y']) await cache.get('a', ref(blob));
    expect(loadedBlobs).toEqual(['a x', 'a y', 'a z', 'a y']);
  });
});

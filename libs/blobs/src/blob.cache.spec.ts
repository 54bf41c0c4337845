import { createHash } from 'node:crypto';
import { BlobCache, ContentDamaged, ContentLost, ENTRY_BYTES } from './blob.cache';

const SIZE = 10;
const contentOf = (text: string) => Buffer.from(text.padEnd(SIZE));
/** How a message refers to this text. */
const ref = (text: string) => ({ blob: createHash('sha256').update(contentOf(text)).digest('hex'), size: SIZE });

describe('BlobCache', () => {
  let loaded: string[];
  /** By account and the text that was stored; what is there now. */
  let stored: Record<string, string | Error>;
  const get = (accountId: string, blob: string) => {
    const found = Object.entries(stored).find(([name]) => {
      const [account, text] = name.split(' ');
      return account === accountId && ref(text!).blob === blob;
    });
    loaded.push(found?.[0] ?? 'nothing');
    if (found?.[1] instanceof Error) return Promise.reject(found[1]);
    return Promise.resolve(found && contentOf(found[1]));
  };
  const newCache = (maxBytes = 10 * ENTRY_BYTES, sizeOf?: (bytes: Buffer) => number) =>
    new BlobCache({ get }, (bytes) => ({ text: bytes.toString().trim() }), maxBytes, sizeOf);
  beforeEach(() => {
    loaded = [];
    stored = { 'a x': 'x', 'b x': 'x', 'b y': 'y' };
  });

  it('reads a blob once for all concurrent and later callers', async () => {
    const cache = newCache();
    const [first, second] = await Promise.all([cache.get('a', ref('x')), cache.get('a', ref('x'))]);
    expect(first).toEqual({ text: 'x' });
    expect([second, await cache.get('a', ref('x'))]).toEqual([first, first]);
    expect(second).toBe(first);
    expect(loaded).toEqual(['a x']);
  });

  it('keeps accounts apart', async () => {
    const cache = newCache();
    expect(await cache.get('b', ref('y'))).toEqual({ text: 'y' });
    expect(await cache.get('a', ref('y'))).toBeUndefined();
    expect(await cache.get('a', ref('x'))).toEqual({ text: 'x' });
    expect(await cache.getOrThrow('b', ref('x'))).toEqual({ text: 'x' });
    const lost = cache.getOrThrow('c', ref('x'));
    await expect(lost).rejects.toBeInstanceOf(ContentLost);
    await expect(lost).rejects.toMatchObject({ code: 'content_lost', retryable: false });
    expect(loaded).toEqual(['b y', 'nothing', 'a x', 'b x', 'nothing']);
  });

  it('reads again after a blob was not found and after a fault', async () => {
    const cache = newCache();
    stored = { 'a x': new Error('away') };
    await expect(cache.get('a', ref('x'))).rejects.toThrow('away');
    expect(await cache.get('a', ref('y'))).toBeUndefined();
    stored = { 'a x': 'x', 'a y': 'y' };
    expect([await cache.get('a', ref('x')), await cache.get('a', ref('y'))]).toEqual([{ text: 'x' }, { text: 'y' }]);
  });

  it('rejects content that was cut off or changed, and reads it again once it is mended', async () => {
    const cache = newCache();
    for (const damage of ['more than was stored', 'y']) {
      stored = { 'a x': damage };
      await expect(cache.get('a', ref('x'))).rejects.toMatchObject({ code: 'content_damaged', retryable: false });
      await expect(cache.getOrThrow('a', ref('x'))).rejects.toBeInstanceOf(ContentDamaged);
    }
    stored = { 'a x': 'x' };
    expect(await cache.get('a', ref('x'))).toEqual({ text: 'x' });
  });

  it('says what the damage is', () => {
    const blob = 'a'.repeat(64);
    const says = (found: number) => new ContentDamaged({ blob, size: SIZE }, found).message;
    expect(says(4)).toBe(`Stored content ${blob} is damaged: it has 4 bytes instead of 10.`);
    expect(says(SIZE)).toBe(`Stored content ${blob} is damaged: its bytes have changed.`);
  });

  it('limits what it keeps by the size of the blobs', async () => {
    const cache = newCache(2 * ENTRY_BYTES + 25);
    for (const text of ['x', 'y', 'z']) stored[`a ${text}`] = text;
    for (const text of ['x', 'y', 'z', 'x', 'z']) await cache.get('a', ref(text));
    expect(loaded).toEqual(['a x', 'a y', 'a z', 'a x']);
  });

  it('limits what it keeps by the weight of the blobs where one is given', async () => {
    const maxBytes = 4 * ENTRY_BYTES;
    const cache = newCache(maxBytes, (bytes) => (bytes.toString().startsWith('heavy') ? maxBytes - ENTRY_BYTES : 1));
    const order = ['x', 'y', 'z', 'x', 'heavy', 'heavy', 'x'];
    for (const text of order) stored[`a ${text}`] = text;
    for (const text of order) await cache.get('a', ref(text));
    expect(loaded).toEqual(['a x', 'a y', 'a z', 'a heavy', 'a x']);
  });

  it('limits how many small blobs it keeps, since each takes memory however small it is', async () => {
    const texts = Array.from({ length: 10 }, (_, i) => `t${i}`);
    for (const text of texts) stored[`a ${text}`] = text;
    const cache = newCache(5 * ENTRY_BYTES);
    for (const text of texts) await cache.get('a', ref(text));
    loaded = [];
    for (const text of texts.toReversed()) await cache.get('a', ref(text));
    expect(loaded).toHaveLength(6);
  });

  it('keeps empty content, too', async () => {
    const empty = { blob: createHash('sha256').digest('hex'), size: 0 };
    const cache = new BlobCache({ get: () => Promise.resolve(Buffer.alloc(0)) }, () => 'nothing', 10 * ENTRY_BYTES);
    expect([await cache.get('a', empty), await cache.get('a', empty)]).toEqual(['nothing', 'nothing']);
  });
});

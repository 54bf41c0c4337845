import { BlobReadings, ContentLost } from './blob.readings';

const ref = (blob: string) => ({ blob, size: 10 });

describe('BlobReadings', () => {
  let asked: string[];
  let stored: Record<string, string | Error>;
  const get = (accountId: string, blob: string) => {
    asked.push(`${accountId} ${blob}`);
    const found = stored[`${accountId} ${blob}`];
    if (found instanceof Error) return Promise.reject(found);
    return Promise.resolve(found === undefined ? undefined : Buffer.from(found));
  };
  const readings = (keptBytes = 1000, weigh?: (bytes: Buffer) => number) =>
    new BlobReadings({ get }, (bytes) => ({ text: bytes.toString() }), keptBytes, weigh);
  beforeEach(() => {
    asked = [];
    stored = { 'a x': 'of a', 'b x': 'of b' };
  });

  it('reads a blob once for all concurrent and later callers', async () => {
    const kept = readings();
    const [first, second] = await Promise.all([kept.of('a', ref('x')), kept.of('a', ref('x'))]);
    expect(first).toEqual({ text: 'of a' });
    expect([second, await kept.of('a', ref('x'))]).toEqual([first, first]);
    expect(second).toBe(first);
    expect(asked).toEqual(['a x']);
  });

  it('keeps accounts apart', async () => {
    const kept = readings();
    expect(await kept.of('a', ref('x'))).toEqual({ text: 'of a' });
    expect(await kept.of('b', ref('x'))).toEqual({ text: 'of b' });
    expect(await kept.of('c', ref('x'))).toBeUndefined();
    expect(await kept.must('b', ref('x'))).toEqual({ text: 'of b' });
    await expect(kept.must('c', ref('x'))).rejects.toBeInstanceOf(ContentLost);
  });

  it('reads again after a blob was not found and after a fault', async () => {
    const kept = readings();
    stored = { 'a x': new Error('away') };
    await expect(kept.of('a', ref('x'))).rejects.toThrow('away');
    expect(await kept.of('a', ref('y'))).toBeUndefined();
    stored = { 'a x': '1', 'a y': '2' };
    expect([await kept.of('a', ref('x')), await kept.of('a', ref('y'))]).toEqual([{ text: '1' }, { text: '2' }]);
  });

  it('limits what it keeps by the size of the blobs', async () => {
    const kept = readings(25);
    for (const blob of ['x', 'y', 'z']) stored[`a ${blob}`] = blob;
    for (const blob of ['x', 'y', 'z', 'x', 'z']) await kept.of('a', ref(blob));
    expect(asked).toEqual(['a x', 'a y', 'a z', 'a x']);
  });

  it('limits what it keeps by the weight of the blobs where one is given', async () => {
    const kept = readings(25, (bytes) => (bytes.toString() === 'heavy' ? 20 : 1));
    stored = { 'a x': 'light', 'a y': 'heavy', 'a z': 'heavy' };
    for (const blob of ['x', 'y', 'x', 'z', 'x', 'y']) await kept.of('a', ref(blob));
    expect(asked).toEqual(['a x', 'a y', 'a z', 'a y']);
  });
});

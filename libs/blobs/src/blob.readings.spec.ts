import { BlobReadings, ContentLost } from './blob.readings';

const ref = (blob: string) => ({ blob, size: 10 });

describe('readings of blobs', () => {
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

  it('are made once, whoever asks meanwhile and later', async () => {
    const kept = readings();
    const [first, second] = await Promise.all([kept.of('a', ref('x')), kept.of('a', ref('x'))]);
    expect(first).toEqual({ text: 'of a' });
    expect([second, await kept.of('a', ref('x'))]).toEqual([first, first]);
    expect(second).toBe(first);
    expect(asked).toEqual(['a x']);
  });

  it('are those of the account', async () => {
    const kept = readings();
    expect(await kept.of('a', ref('x'))).toEqual({ text: 'of a' });
    expect(await kept.of('b', ref('x'))).toEqual({ text: 'of b' });
    expect(await kept.of('c', ref('x'))).toBeUndefined();
    expect(await kept.must('b', ref('x'))).toEqual({ text: 'of b' });
    await expect(kept.must('c', ref('x'))).rejects.toBeInstanceOf(ContentLost);
  });

  it('are made anew where nothing was found, and after a fault', async () => {
    const kept = readings();
    stored = { 'a x': new Error('away') };
    await expect(kept.of('a', ref('x'))).rejects.toThrow('away');
    expect(await kept.of('a', ref('y'))).toBeUndefined();
    stored = { 'a x': '1', 'a y': '2' };
    expect([await kept.of('a', ref('x')), await kept.of('a', ref('y'))]).toEqual([{ text: '1' }, { text: '2' }]);
  });

  it('are kept by the bytes of their blobs', async () => {
    const kept = readings(25);
    for (const blob of ['x', 'y', 'z']) stored[`a ${blob}`] = blob;
    for (const blob of ['x', 'y', 'z', 'x', 'z']) await kept.of('a', ref(blob));
    expect(asked).toEqual(['a x', 'a y', 'a z', 'a x']);
  });

  it('are kept by what they weigh, where that is told', async () => {
    const kept = readings(25, (bytes) => (bytes.toString() === 'heavy' ? 20 : 1));
    stored = { 'a x': 'light', 'a y': 'heavy', 'a z': 'heavy' };
    for (const blob of ['x', 'y', 'x', 'z', 'x', 'y']) await kept.of('a', ref(blob));
    expect(asked).toEqual(['a x', 'a y', 'a z', 'a y']);
  });
});

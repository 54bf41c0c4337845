import files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { freeSpace, mustHaveRoom } from './free.space';

describe('the space on a volume', () => {
  afterEach(() => jest.restoreAllMocks());

  const volume = (figures: { bavail: number; files: number; ffree: number }) =>
    jest.spyOn(files, 'statfs').mockResolvedValue({ bsize: 4096, ...figures } as never);
  const AWAY = { code: 'log_unavailable', retryable: true };

  it('is what is free to everybody', async () => {
    expect(await freeSpace(tmpdir())).toBeGreaterThan(0);
    volume({ bavail: 1000, files: 500, ffree: 1 });
    expect(await freeSpace('/any')).toBe(4_096_000);
    await mustHaveRoom('/any');
  });

  it('is none where no file can be made any more', async () => {
    volume({ bavail: 1_000_000, files: 500, ffree: 0 });
    expect(await freeSpace('/any')).toBe(0);
    await expect(mustHaveRoom('/any')).rejects.toMatchObject({ ...AWAY, message: expect.stringContaining('/any') });
  });

  it('is told in bytes alone where files are not counted', async () => {
    volume({ bavail: 1000, files: 0, ffree: 0 });
    await mustHaveRoom('/any');
    volume({ bavail: 10, files: 0, ffree: 0 });
    await expect(mustHaveRoom('/any')).rejects.toMatchObject(AWAY);
  });
});

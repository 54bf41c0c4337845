import files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { freeSpace, mustHaveFreeSpace } from './free.space';

describe('the free space on a volume', () => {
  afterEach(() => jest.restoreAllMocks());

  const mockVolume = (figures: { bavail: number; files: number; ffree: number }) =>
    jest.spyOn(files, 'statfs').mockResolvedValue({ bsize: 4096, ...figures } as never);
  const UNAVAILABLE = { code: 'log_unavailable', retryable: true };

  it('is what unprivileged users can write', async () => {
    expect(await freeSpace(tmpdir())).toBeGreaterThan(0);
    mockVolume({ bavail: 1000, files: 500, ffree: 1 });
    expect(await freeSpace('/any')).toBe(4_096_000);
    await mustHaveFreeSpace('/any');
  });

  it('is zero when no more files can be created', async () => {
    mockVolume({ bavail: 1_000_000, files: 500, ffree: 0 });
    expect(await freeSpace('/any')).toBe(0);
    await expect(mustHaveFreeSpace('/any')).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringContaining('/any'),
    });
  });

  it('goes by bytes alone where the volume does not count files', async () => {
    mockVolume({ bavail: 1000, files: 0, ffree: 0 });
    await mustHaveFreeSpace('/any');
    mockVolume({ bavail: 10, files: 0, ffree: 0 });
    await expect(mustHaveFreeSpace('/any')).rejects.toMatchObject(UNAVAILABLE);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FailingDisk, LogWorkspace } from '../testing/disk';
import { writeFileAtomically, DurableFile } from './durable.file';

describe('a file that grows by synced appends', () => {
  const workshop = new LogWorkspace();
  let disk: FailingDisk;
  let path: string;
  let file: DurableFile;
  beforeEach(async () => {
    await workshop.begin();
    disk = new FailingDisk();
    path = join(workshop.directory, 'file');
    await writeFileAtomically(disk.open, path, [Buffer.from('before')]);
    file = await DurableFile.open(disk.open, path, 6);
  });
  afterEach(async () => {
    await file.close();
    await workshop.end();
  });

  it.each(['writev', 'datasync'] as const)(
    'takes no more appends after a failed %s, even if the disk works again',
    async (broken) => {
      const failed = { code: 'log_failed', retryable: false };
      disk.faults = { [broken]: 'EIO' };
      await expect(file.append([Buffer.from(' lost')])).rejects.toMatchObject(failed);
      disk.faults = {};
      const { writev } = disk.done;
      await expect(file.append([Buffer.from(' after')])).rejects.toMatchObject(failed);
      expect(disk.done.writev).toBe(writev);
      expect(file.size).toBe(6);
    },
  );

  it('syncs its last bytes when it is opened: a reader may commit positions behind them at once', async () => {
    const { writev } = disk.done;
    disk.faults = { datasync: 'EIO' };
    await expect(DurableFile.open(disk.open, path, 6, Buffer.from('ore'))).rejects.toMatchObject({ code: 'EIO' });
    expect(disk.done.writev).toBe(writev + 1);
  });

  it('goes on after an append that found no space, once there is space again', async () => {
    disk.faults = { writev: 'ENOSPC' };
    disk.room = 2;
    await expect(file.append([Buffer.from(' lost')])).rejects.toMatchObject({ unwritten: true, retryable: true });
    disk.faults = {};
    await file.append([Buffer.from(' and'), Buffer.from(' after')]);
    expect(await readFile(path, 'utf8')).toBe('before and after');
  });
});

import { mkdir, rename, rm } from 'node:fs/promises';
import { LogWorkspace } from '../testing/disk';
import { textRecord, until } from '../testing/inbox';
import type { EmbeddedLog } from './embedded.log';

/** Whatever else is appended would be lost with the process. */
describe('the log fails for good', () => {
  const workshop = new LogWorkspace();
  let log: EmbeddedLog;
  beforeEach(async () => {
    await workshop.begin();
    log = await workshop.open();
  });
  afterEach(async () => {
    await workshop.end();
    await rm(`${workshop.directory}.moved`, { recursive: true, force: true });
  });

  const expectFailure = async (what: string) => {
    await until(() => workshop.fatal.length > 0);
    expect(workshop.fatal[0]!.message).toBe(`${workshop.directory} ${what}`);
    await expect(log.append([textRecord('topic', 'k', 'a')])).rejects.toMatchObject({ code: 'log_failed' });
  };

  it('when its directory is removed', async () => {
    await rm(workshop.directory, { recursive: true });
    await expectFailure('no longer exists');
  });

  it('when another directory takes its place, such as a backup that is restored', async () => {
    await rename(workshop.directory, `${workshop.directory}.moved`);
    await mkdir(workshop.directory);
    await expectFailure('is another directory now');
  });
});

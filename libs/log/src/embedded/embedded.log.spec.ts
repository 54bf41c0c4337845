import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventLogContract } from '../log.contract';
import { EmbeddedLog } from './embedded.log';

const roots: string[] = [];

async function root(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lettermill-log-'));
  roots.push(path);
  return path;
}

afterAll(() => Promise.all(roots.map((path) => rm(path, { recursive: true, force: true }))));

// The promises of this adapter alone are tested in the other specs of this folder.
describe('EmbeddedLog', () => {
  eventLogContract(async () => {
    const directory = await root();
    const open = () =>
      EmbeddedLog.open({
        directory,
        retention: { days: 30, keepWhole: [] },
        maxRecordBytes: 100_000,
        onFatal: (error) => {
          throw error;
        },
      });
    let log = await open();
    let topics = 0;
    return {
      log,
      limit: 100_000,
      topic: () => Promise.resolve(`topic-${(topics += 1)}`),
      reopen: async () => {
        await log.close();
        log = await open();
        return log;
      },
      close: () => log.close(),
    };
  });
});
